"""What a person sees and reads: views, phrases, refusals, pictures."""
