"""What a model needs just to be there: a small and a larger CNN, and a transformer encoder."""

import keras
from keras import layers


def small_cnn(size: int = 64) -> keras.Model:
    """Three convolutions and two dense layers in float32."""
    image = keras.Input((size, size, 3), name="image")
    x = image
    for filters in (16, 32, 64):
        x = layers.MaxPooling2D()(layers.Conv2D(filters, 3, padding="same", activation="relu")(x))
    x = layers.Dense(64, activation="relu")(layers.Flatten()(x))
    return keras.Model(image, layers.Dense(10)(x), name="small_cnn")


def larger_cnn(size: int = 128, dtype: str = "float16") -> keras.Model:
    """Ten convolutions up to 512 channels, weights and activations in float16."""
    image = keras.Input((size, size, 3), name="image")
    x = image
    for filters in (64, 128, 256, 512, 512):
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu", dtype=dtype)(x)
        x = layers.MaxPooling2D(dtype=dtype)(x)
    x = layers.Dense(512, activation="relu", dtype=dtype)(layers.Flatten(dtype=dtype)(x))
    return keras.Model(image, layers.Dense(100, dtype="float32")(x), name="larger_cnn")


def transformer(
    length: int = 128, width: int = 256, heads: int = 4, depth: int = 6, words: int = 16_000
) -> keras.Model:
    """An encoder of `depth` layers over `length` token numbers."""
    tokens = keras.Input((length,), dtype="int32", name="tokens")
    x = layers.Embedding(words, width)(tokens)
    for _ in range(depth):
        y = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.MultiHeadAttention(heads, width // heads)(y, y)])
        y = layers.Dense(4 * width, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(width)(y)])
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x))
    return keras.Model(tokens, layers.Dense(2)(x), name="transformer")
