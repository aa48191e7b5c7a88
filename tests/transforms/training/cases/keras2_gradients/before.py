"""Gradients between the tensors of a model, as heat maps and dreams take them from the backend of Keras 2."""

import sys

import numpy as np
from keras import backend as K
from keras.layers import Activation, Add, Conv2D, Dense, GlobalAveragePooling2D, Input, MaxPooling2D
from keras.models import Model

draw = np.random.RandomState(0)
inputs = Input((12, 12, 3))
x = MaxPooling2D()(Conv2D(4, 3, activation="relu", padding="same", name="first")(inputs))
x = Add()([x, Conv2D(4, 3, padding="same", name="second")(x)])
x = Activation("relu", name="last")(x)
model = Model(inputs, Dense(3, activation="softmax")(GlobalAveragePooling2D()(x)))
model.set_weights([draw.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
picture = draw.rand(1, 12, 12, 3)

# what the likeliest class looks at
likeliest = np.argmax(model.predict(picture)[0])
last = model.get_layer("last")
weights = K.mean(K.gradients(model.output[:, likeliest], last.output)[0], axis=(0, 1, 2))
pooled, maps = K.function([model.input], [weights, last.output[0]])([picture])
for i in range(4):
    maps[:, :, i] *= pooled[i]

# what excites a filter
loss = K.mean(model.get_layer("second").output[:, :, :, 1])
slope = K.gradients(loss, model.input)[0]
slope /= K.sqrt(K.mean(K.square(slope))) + 1e-5
climb = K.function([model.layers[0].input, K.learning_phase()], [loss, slope])
dream = picture.copy()
for _ in range(3):
    value, step = climb([dream, 0])
    dream += step * 0.1

of_input = K.function([model.input], K.gradients(K.sum(K.log(model.output)), [model.input]))([picture])[0]
np.savez(sys.argv[1], heat=np.mean(maps, axis=-1), pooled=pooled, dream=dream, value=value, of_input=of_input)
