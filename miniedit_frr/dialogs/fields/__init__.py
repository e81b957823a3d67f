"""Fields of forms: their values, texts and widgets."""
