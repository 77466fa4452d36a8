"""The book in JupyterLab, on copies that a reader may change: `make lab`."""
