"""`python -m auditor.cli` is the same as `dp-audit`."""

import sys

from auditor.cli import main

sys.exit(main())
