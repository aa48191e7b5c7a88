"""tf.contrib.slim, tf_slim, tf.contrib.layers and tf.contrib.framework: one place for their names."""

from . import slim_losses as losses
from . import slim_utils as utils
from .arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from .initializers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from .scopes import create_global_step, get_global_step, get_or_create_global_step
from .slim_conv import (
    conv1d,
    conv2d,
    conv2d_in_plane,
    conv2d_transpose,
    conv3d,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_in_plane,
    convolution2d_transpose,
    convolution3d,
    fully_connected,
    separable_conv2d,
    separable_convolution2d,
)
from .slim_layers import (
    avg_pool2d,
    avg_pool3d,
    bias_add,
    dropout,
    embed_sequence,
    flatten,
    legacy_fully_connected,
    max_pool2d,
    max_pool3d,
    maxout,
    one_hot_encoding,
    pool,
    repeat,
    softmax,
    spatial_softmax,
    stack,
    summarize_activation,
    unit_norm,
)
from .slim_norm import batch_norm, group_norm, instance_norm, layer_norm
from .slim_variables import (
    add_model_variable,
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    filter_variables,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
)
