"""Cut pictures, sound and video. Needs the extras `media`: Pillow, and `video`: PyAV."""
