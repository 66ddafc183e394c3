"""Cut pictures, sound and video. Needs the `media` extra: Pillow and PyAV."""
