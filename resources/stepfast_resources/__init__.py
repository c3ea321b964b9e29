"""Icons and translations of the app, read with `importlib.resources`."""
