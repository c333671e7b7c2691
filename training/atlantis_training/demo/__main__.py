"""``python -m atlantis_training.demo``."""

from atlantis_training.demo.run import main

if __name__ == "__main__":
    main()
