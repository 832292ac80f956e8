"""How dates are written, where Django has it wrong."""
