"""Clients that nobody here wrote, a module each; tools/clients runs them."""
