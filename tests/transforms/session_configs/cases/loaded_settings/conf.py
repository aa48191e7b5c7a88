cfg = {}
def load():
    cfg.update(grow=False, share=0.4)
