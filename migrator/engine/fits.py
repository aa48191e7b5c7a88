"""How calls of TF 1 functions become calls of TF 2's: from both signatures and the keyword tables."""

from __future__ import annotations

from collections.abc import Mapping

from migrator.analysis.api import Api, parse_signature
from migrator.engine.keras_calls import keras_options
from migrator.engine.keywords import ANY, Fit, Keyword

_DEFINE = parse_signature("(name, default, help, **options)")  # of absl.flags.DEFINE_string and the like


class Fits:
    """The fits of all pairs of functions, each computed when it is first asked for.

    `keywords`: TF 1 name -> keyword -> what becomes of it.
    """

    def __init__(self, keywords: Mapping[str, dict[str, Keyword]], tf1: Api, tf2: Api) -> None:
        self.keywords = keywords
        self.tf1 = tf1
        self.tf2 = tf2
        self._found: dict[tuple[str, str, bool], Fit] = {}

    def of(self, key: str, target: str, defaults: bool = True) -> Fit:
        """How calls of the TF 1 function `key` become calls of TF 2's `target`; without `defaults`, of one
        that was written for the Keras of TF 2."""
        found = self._found.get((key, target, defaults))
        if found is None and target.startswith("absl.flags.DEFINE"):
            names = self.keywords.get("tf" + key[len("tensorflow") :], {})
            found = self._found[key, target, defaults] = Fit(None, _DEFINE, names)
        if found is None and target.startswith("keras."):
            new = self.tf2.signature(f"tensorflow.{target}")
            names = self.keywords.get(f"tf.{target}", {}) | self.keywords.get(target, {})
            if not defaults:
                names = {name: keyword for name, keyword in names.items() if not keyword.written}
            options = keras_options(f"tensorflow.{target}", self.tf2)
            found = self._found[key, target, defaults] = Fit(None, new, names, None, options)
        if found is None:
            known = self.keywords
            listed = self.documented(key)
            short, public = ("tf" + name[len("tensorflow") :] for name in (key, listed))
            names = {**known.get(public, {}), **known.get(short, {})}
            if ".keras." in target:  # many modules of TF 1 had the layers of tf.keras
                names = known.get(f"tf{target[len('tensorflow') :]}", {}) | names
            else:
                names = known.get(ANY, {}) | names
            new = self.tf2.signature(target)
            other = self.tf1.signature(target) if target not in (key, listed) else None
            old = self.tf1.signature(key) or self.tf1.signature(listed)
            options = keras_options(target, self.tf2)
            found = self._found[key, target, defaults] = Fit(old, new, names, other, options)
        return found

    def documented(self, key: str) -> str:
        """The name under which the snapshot lists the object that is called `key`."""
        parts = key.split(".")
        for length in range(len(parts), 1, -1):
            listed = self.tf1.aliases.get(".".join(parts[:length]))
            if listed is not None:
                return ".".join([listed, *parts[length:]])
        return key
