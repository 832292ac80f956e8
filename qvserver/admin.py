"""What isn't for the admin to edit: credentials are their players', and providers come from the settings."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from knox.models import AuthToken

for model in (Authenticator, AuthToken, EmailAddress, SocialAccount, SocialApp, SocialToken, UserSession):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
