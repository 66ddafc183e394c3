"""Commands that bring documents in: save (from the web), import (from files), derive."""
