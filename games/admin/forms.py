"""The forms of the challenge admin."""

from __future__ import annotations

from typing import ClassVar

from django import forms
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminSplitDateTimeWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from games.engine import BadCode, Code
from games.models import Challenge


class ChallengeForm(forms.ModelForm):  # type: ignore[type-arg]
    """What may change on a challenge at any time."""

    class Meta:
        model = Challenge
        fields: ClassVar = ["title", "shows_par"]


class EventForm(forms.Form):
    """A new event, in the words of `games.services.publishing.publish_event`."""

    title = forms.CharField(max_length=80, widget=UnfoldAdminTextInputWidget())
    mode = forms.ChoiceField(choices=Challenge.MODE_CHOICES, widget=UnfoldAdminSelectWidget())
    code = forms.CharField(
        required=False,
        widget=UnfoldAdminTextInputWidget(),
        help_text="A deal of your own, like FT1-N-AAAAAAV: the solver tries to prove it. Empty: a random deal, proven.",
    )
    opens_at = forms.SplitDateTimeField(widget=UnfoldAdminSplitDateTimeWidget(), help_text="UTC.")
    closes_at = forms.SplitDateTimeField(widget=UnfoldAdminSplitDateTimeWidget(), help_text="UTC.")
    shows_par = forms.BooleanField(
        required=False, initial=True, label="Shows par while open", widget=UnfoldBooleanSwitchWidget()
    )

    def clean_code(self) -> Code | None:
        """The code, read."""
        text = self.cleaned_data["code"].strip()
        try:
            return Code.parse(text) if text else None
        except BadCode as error:
            raise forms.ValidationError(error.message) from error
