"""What TF1 symbols make: the kinds that the graph-program model tells values apart by.

A *hoisted* kind lives across steps in the migrated program (variables, optimizers, data sets);
a *traced* kind only exists inside a `tf.function`; `OP` is a tensor that depends on no graph input
and can be on either side.
"""

from __future__ import annotations

#: What is made of a graph in a file (ends of the names).
LOADS = (".frozen_graph.FrozenGraph", ".meta_graph.MetaGraph")

PY = "python"
OP = "op"
TENSOR = "tensor"
PLACEHOLDER = "placeholder"
ELEMENT = "element"  # what an iterator's get_next() gives
VARIABLE = "variable"
OPTIMIZER = "optimizer"
SCHEDULE = "schedule"
EMA = "ema"
SAVER = "saver"
WRITER = "writer"
GRAPH = "graph"
LOADED = "loaded graph"  # one out of a file that is called by names of tensors
SESSION = "session"
CONFIG = "config"
DATASET = "dataset"
ITERATOR = "iterator"
ITERATOR_INIT = "iterator initializer"
HANDLE = "iterator handle"  # by which a run says which iterator it reads from
INIT = "initializer"
GRADIENTS = "gradients"
TRAIN = "train op"
EFFECT = "effect"
UPDATE_OPS = "update ops"
VARIABLES = "variables"  # a list of them that is only complete once the graph is built
SUMMARY = "summary"
MERGED = "merged summaries"
COORDINATOR = "coordinator"
THREADS = "threads"
SUPERVISOR = "supervisor"
MONITOR = "monitor"  # a `with` that enters a monitored session

HOISTED = frozenset(
    {PY, VARIABLE, OPTIMIZER, SCHEDULE, EMA, SAVER, WRITER, DATASET, ITERATOR, GRAPH, CONFIG}
    | {SESSION, COORDINATOR, THREADS, SUPERVISOR}
)
TRACED = frozenset(
    {TENSOR, PLACEHOLDER, ELEMENT, GRADIENTS, TRAIN, EFFECT, UPDATE_OPS, SUMMARY, MERGED}
    | {VARIABLES}
)
#: Methods of optimizers that change what is trained.
TRAINING_METHODS = frozenset({"minimize", "apply_gradients"})
#: Effects that leave the new value of what they change.
ASSIGNMENTS = frozenset(
    "tensorflow." + name for name in (
        "assign", "assign_add", "assign_sub", "scatter_update", "scatter_add", "scatter_sub",
        "count_up_to", "scatter_nd_update", "scatter_nd_add", "scatter_nd_sub",
    )
)
#: Calls that give a list, which can be put together with others.
LISTS = frozenset(
    "tensorflow." + name for name in (
        "split", "unstack", "gradients", "meshgrid", "get_collection", "get_collection_ref",
        "losses.get_losses", "losses.get_regularization_losses", "dynamic_partition",
        "train.batch", "train.shuffle_batch", "trainable_variables", "global_variables",
    )
)
#: Calls that may give more than one tensor.
SEVERAL = LISTS | frozenset(
    "tensorflow." + name for name in (
        "nn.moments", "nn.top_k", "nn.weighted_moments", "nn.sufficient_statistics",
        "nn.fused_batch_norm", "nn.dynamic_rnn", "nn.bidirectional_dynamic_rnn", "nn.static_rnn",
        "nn.ctc_beam_search_decoder", "nn.ctc_greedy_decoder", "nn.max_pool_with_argmax",
        "clip_by_global_norm", "unique", "unique_with_counts", "setdiff1d", "while_loop",
        "case", "map_fn", "scan", "linalg.svd", "svd", "linalg.qr", "qr", "linalg.eigh",
        "self_adjoint_eig", "parse_example", "parse_single_example", "identity_n", "tuple",
        "image.sample_distorted_bounding_box", "image.non_max_suppression_with_scores",
    )
)
WITHOUT_VALUE = frozenset({TRAIN, EFFECT, UPDATE_OPS, INIT, ITERATOR_INIT})

_T = "tensorflow."
_C = "tensorflow.contrib."

#: Calls that run a training op in a loop of their own.
LOOPS = frozenset({_C + "slim.learning.train", _C + "training.train"})

#: Calls that restore a checkpoint and evaluate batches in a loop of their own.
EVALUATIONS = frozenset(
    _C + "slim.evaluation." + name for name in ("evaluate_once", "evaluation_loop")
)

#: Metrics whose value and update are tensors of their own: eager code computes both at once.
STREAMING = (
    _T + "metrics.", _C + "metrics.streaming_", _C + "slim.metrics.streaming_",
)

#: Sessions that call hooks, save and restore by themselves.
MONITORED = frozenset(
    {_T + "train.MonitoredTrainingSession", _T + "train.SingularMonitoredSession"}
)

#: Calls that run a graph by themselves.
RUNNING = LOOPS | EVALUATIONS | MONITORED | {
    _T + "train.MonitoredSession", _T + "train.Supervisor",
    _C + "training.evaluate_once", _C + "training.evaluate_repeatedly",
}

CALLS: dict[str, str] = {
    **dict.fromkeys(
        (_T + "placeholder", _T + "placeholder_with_default", _T + "sparse_placeholder"),
        PLACEHOLDER,
    ),
    **dict.fromkeys(
        (
            _T + "Variable", _T + "get_variable",
            _T + "train.get_or_create_global_step", _T + "train.create_global_step",
            _T + "train.get_global_step",
            _C + "framework.get_or_create_global_step", _C + "framework.create_global_step",
            _C + "framework.get_global_step", _C + "slim.get_or_create_global_step",
            _C + "slim.create_global_step", _C + "slim.get_global_step",
            _C + "framework.variable", _C + "framework.model_variable",
            _C + "slim.variable", _C + "slim.model_variable",
        ),
        VARIABLE,
    ),
    **dict.fromkeys(
        (
            _T + "train." + name
            for name in (
                "exponential_decay", "piecewise_constant", "polynomial_decay", "cosine_decay",
                "inverse_time_decay", "natural_exp_decay", "cosine_decay_restarts",
                "linear_cosine_decay", "noisy_linear_cosine_decay", "piecewise_constant_decay",
            )
        ),
        SCHEDULE,
    ),
    _T + "train.ExponentialMovingAverage": EMA,
    _T + "train.Saver": SAVER,
    _C + "slim.Saver": SAVER,
    **dict.fromkeys(
        # functions of a session that restore
        (
            _C + module + name
            for module in ("framework.", "slim.")
            for name in ("assign_from_checkpoint_fn", "assign_from_values_fn")
        ),
        SAVER,
    ),
    _T + "summary.FileWriter": WRITER,
    _T + "train.SummaryWriter": WRITER,
    _T + "Graph": GRAPH,
    _T + "get_default_graph": GRAPH,
    _T + "Session": SESSION,
    _T + "InteractiveSession": SESSION,
    _T + "get_default_session": SESSION,
    **dict.fromkeys(MONITORED | {_T + "train.MonitoredSession"}, SESSION),
    _T + "train.Supervisor": SUPERVISOR,
    _T + "ConfigProto": CONFIG,
    _T + "GPUOptions": CONFIG,
    _T + "OptimizerOptions": CONFIG,
    _T + "GraphOptions": CONFIG,
    _T + "RunOptions": CONFIG,
    **dict.fromkeys(
        (
            _T + name
            for name in (
                "global_variables_initializer", "local_variables_initializer",
                "initialize_all_variables", "initialize_local_variables", "tables_initializer",
                "initialize_all_tables", "variables_initializer", "initialize_variables",
            )
        ),
        INIT,
    ),
    **dict.fromkeys(
        (
            _T + name
            for name in (
                "trainable_variables", "global_variables", "all_variables", "local_variables",
                "model_variables", "moving_average_variables",
                "contrib.framework.get_variables", "contrib.framework.get_trainable_variables",
                "contrib.framework.get_model_variables", "contrib.slim.get_variables",
                "contrib.slim.get_trainable_variables", "contrib.slim.get_model_variables",
                "contrib.framework.get_variables_to_restore",
                "contrib.slim.get_variables_to_restore",
            )
        ),
        VARIABLES,
    ),
    **dict.fromkeys(
        (
            *ASSIGNMENTS, _T + "group", _T + "no_op", _T + "print", _T + "Assert",
            _T + "assert_variables_initialized",
        ),
        EFFECT,
    ),
    **dict.fromkeys(
        (
            _T + "summary." + name
            for name in ("scalar", "image", "histogram", "audio", "text", "tensor_summary")
        ),
        SUMMARY,
    ),
    **dict.fromkeys(
        (
            _T + name
            for name in ("scalar_summary", "image_summary", "histogram_summary", "audio_summary")
        ),
        SUMMARY,
    ),
    _T + "summary.merge_all": MERGED,
    _T + "summary.merge": MERGED,
    _T + "merge_all_summaries": MERGED,
    _T + "merge_summary": MERGED,
    _T + "train.Coordinator": COORDINATOR,
    _T + "train.start_queue_runners": THREADS,
    _T + "gradients": TENSOR,
    _C + "slim.learning.create_train_op": TRAIN,
    _C + "training.create_train_op": TRAIN,
    **dict.fromkeys(
        (_C + module + "optimize_loss"
         for module in ("layers.", "layers.optimizers.", "slim.", "slim.optimizers.")), TRAIN,
    ),
}

OPTIMIZERS = frozenset(
    {
        _T + "train." + name + "Optimizer"
        for name in (
            "GradientDescent", "Adadelta", "Adagrad", "AdagradDA", "Momentum", "Adam", "Ftrl",
            "ProximalGradientDescent", "ProximalAdagrad", "RMSProp", "SyncReplicas",
        )
    }
    | {
        _C + "opt." + name
        for name in (
            "AdamWOptimizer", "MomentumWOptimizer", "NadamOptimizer", "LazyAdamOptimizer",
            "AdaMaxOptimizer", "MovingAverageOptimizer", "AddSignOptimizer", "PowerSignOptimizer",
            "GGTOptimizer", "ShampooOptimizer", "LARSOptimizer", "RegAdagradOptimizer",
        )
    }
)

#: Modules and classes below which calls give plain Python values (or objects that need no graph).
PYTHON = (
    "app.", "flags.", "logging.", "gfile.", "errors.", "test.", "compat.", "TensorShape",
    "Dimension", "FixedLenFeature", "VarLenFeature", "FixedLenSequenceFeature",
    "SparseFeature", "DType", "as_dtype", "TensorSpec",
    "initializers.", "keras.initializers.", "keras.regularizers.",
    "zeros_initializer", "ones_initializer", "constant_initializer",
    "random_uniform_initializer", "random_normal_initializer", "truncated_normal_initializer",
    "orthogonal_initializer", "uniform_unit_scaling_initializer", "variance_scaling_initializer",
    "glorot_uniform_initializer", "glorot_normal_initializer", "init_scope",
    "contrib.layers.variance_scaling_initializer", "contrib.layers.xavier_initializer",
    "contrib.layers.xavier_initializer_conv2d", "contrib.layers.l1_regularizer",
    "contrib.layers.l2_regularizer", "contrib.layers.l1_l2_regularizer",
    "contrib.layers.sum_regularizer", "contrib.slim.l2_regularizer", "contrib.slim.l1_regularizer",
    "contrib.slim.l1_l2_regularizer", "contrib.slim.variance_scaling_initializer",
    "contrib.slim.xavier_initializer", "contrib.training.HParams", "contrib.slim.get_model_options",
    "contrib.slim.model_analyzer.",
    "contrib.slim.arg_scope", "contrib.framework.arg_scope",
    "train.latest_checkpoint", "train.get_checkpoint_state", "train.checkpoint_exists",
    "train.NewCheckpointReader", "train.load_checkpoint", "train.list_variables",
    "train.load_variable", "train.Example", "train.Features", "train.Feature",
    "train.BytesList", "train.Int64List", "train.FloatList", "python_io.", "train.SessionRunArgs",
    "set_random_seed", "random.set_seed", "reset_default_graph", "disable_", "enable_",
    "executing_eagerly", "GIT_VERSION", "VERSION", "__version__", "Summary", "SummaryMetadata",
    "contrib.lookup.", "lookup.", "estimator.", "train.SessionRunHook", "train.ClusterSpec",
    "train.Server", "train.Scaffold", "train.SessionRunContext", "train.SessionRunValues",
    "GraphKeys", "nn.rnn_cell.", "contrib.rnn.BasicLSTMCell", "contrib.rnn.LSTMCell",
    "contrib.rnn.GRUCell", "contrib.rnn.BasicRNNCell", "contrib.rnn.MultiRNNCell",
    "contrib.rnn.DropoutWrapper", "get_variable_scope", "get_default_graph", "AUTO_REUSE",
    "make_template", "variable_scope", "name_scope", "device", "train.write_graph",
    "saved_model.", "io.gfile", "keras.datasets.", "examples.", "get_logger", "load_op_library",
)

#: Data sets: a call below one of these prefixes makes one.
DATASETS = ("data.", "contrib.data.")

#: slim's data sets and what reads them: no layers, and nothing that needs a graph.
SLIM_DATA = tuple(
    f"contrib.slim.{name}" for name in (
        "dataset.", "dataset_data_provider.", "data.", "tfexample_decoder.", "Dataset",
    )
)

#: Calls that may create variables, add losses, or register updates of moving statistics.
LAYERS = ("contrib.slim.", "contrib.layers.", "layers.", "nn.dynamic_rnn", "nn.static_rnn",
          "nn.bidirectional_dynamic_rnn", "contrib.rnn.", "keras.layers.", "contrib.seq2seq.",
          "nn.raw_rnn", "contrib.cudnn_rnn.")

LAYERS_WITHOUT_VARIABLES = frozenset(
    {
        "dropout", "max_pool2d", "avg_pool2d", "max_pooling2d", "average_pooling2d", "flatten",
        "softmax", "l2_regularizer", "l1_regularizer", "l2_loss", "arg_scope", "repeat", "stack",
        "one_hot_encoding", "max_pooling1d", "average_pooling1d", "create_train_op",
        "get_model_variables", "get_variables", "get_trainable_variables",
    }
)

#: What makes a Keras layer or model, and such layers as have no variables.
_KERAS = ("keras.layers.", "keras.models.", "keras.Sequential", "keras.Model", "keras.applications.")
_KERAS_WITHOUT_VARIABLES = (
    "Flatten", "Activation", "ReLU", "LeakyReLU", "ELU", "Softmax", "Reshape", "Permute", "Add",
    "Subtract", "Multiply", "Average", "Maximum", "Concatenate", "Dot", "RepeatVector", "Masking",
    "ZeroPadding", "UpSampling", "Cropping", "MaxPool", "AveragePooling", "AvgPool", "Global",
)

BATCH_NORM = frozenset(
    {
        _T + "layers.batch_normalization", _T + "layers.BatchNormalization",
        _C + "layers.batch_norm", _C + "slim.batch_norm",
    }
)

#: Their elements come from threads that a session feeds; in a step nothing would fill them.
QUEUES = frozenset(
    "tensorflow." + name for name in (
        "train.string_input_producer", "train.input_producer", "train.range_input_producer",
        "train.slice_input_producer", "train.batch", "train.batch_join", "train.maybe_batch",
        "train.maybe_batch_join", "train.shuffle_batch", "train.shuffle_batch_join",
        "train.maybe_shuffle_batch", "train.maybe_shuffle_batch_join", "FIFOQueue",
        "PaddingFIFOQueue", "RandomShuffleQueue", "PriorityQueue", "queue.FIFOQueue",
        "queue.PaddingFIFOQueue", "queue.RandomShuffleQueue", "queue.PriorityQueue",
        "TFRecordReader", "WholeFileReader", "TextLineReader", "IdentityReader",
        "FixedLengthRecordReader", "contrib.training.bucket",
        "contrib.training.bucket_by_sequence_length", "contrib.staging.StagingArea",
    )
)

#: Scopes whose `with` is re-opened around traced statements and kept around hoisted ones.
SCOPES = frozenset(
    {
        _T + "variable_scope", _T + "name_scope", _T + "device", _T + "op_scope",
        _T + "variable_op_scope", _C + "slim.arg_scope", _C + "framework.arg_scope",
        _T + "Graph().device", _T + "Graph().name_scope", _T + "get_default_graph().name_scope",
        _T + "init_scope", _C + "slim.variable_scope",
    }
)

COLLECTION_KEYS = {
    "UPDATE_OPS": UPDATE_OPS, "update_ops": UPDATE_OPS,
    "TRAINABLE_VARIABLES": VARIABLES, "trainable_variables": VARIABLES,
    "GLOBAL_VARIABLES": VARIABLES, "VARIABLES": VARIABLES, "variables": VARIABLES,
    "MODEL_VARIABLES": VARIABLES, "MOVING_AVERAGE_VARIABLES": VARIABLES,
    "SUMMARIES": MERGED, "summaries": MERGED,
}


def call_kind(symbol: str) -> str:
    """The kind of what a call of the canonical TensorFlow `symbol` gives.

    >>> call_kind("tensorflow.train.AdamOptimizer")
    'optimizer'
    >>> call_kind("tensorflow.nn.relu")
    'op'
    """
    found = CALLS.get(symbol)
    if found is not None:
        return found
    if symbol in OPTIMIZERS:
        return OPTIMIZER
    name = symbol.removeprefix(_T)
    if name.startswith(DATASETS):
        if "iterator" in name.lower():
            return ITERATOR
        return DATASET
    if name.startswith((*PYTHON, *SLIM_DATA)) or is_hook(symbol):
        return PY
    return OP


def kind_of(symbol: str | None) -> str:
    """`call_kind`, "" for what is none of TensorFlow's or was asked of the result of another call."""
    if symbol is None or not symbol.startswith(_T) or "()" in symbol:
        return ""
    return call_kind(symbol)


def is_hook(symbol: str) -> bool:
    """Whether `symbol` is a class of session hooks, or what a hook asks for values with."""
    return symbol.startswith(_T + "train.") and symbol.endswith(("Hook", ".SessionRunArgs"))


def calls_hooks(symbol: str) -> bool:
    """Whether a call of `symbol`, of TensorFlow or of the support package, makes a session with hooks."""
    return symbol.startswith(_T + "train.") and symbol.endswith("Session") or (
        "tf1_support.monitored_sessions." in symbol)


def is_layer(symbol: str) -> bool:
    """Whether a call of `symbol` may create variables or fill collections."""
    name = symbol.removeprefix(_T)
    return name.startswith(LAYERS) and not name.startswith(SLIM_DATA)


def makes_keras_variables(symbol: str) -> bool:
    """Whether a call of `symbol` gives a Keras layer or model that has variables of its own."""
    name = symbol.removeprefix(_T).removeprefix("contrib.").removeprefix("python.")
    return name.startswith(_KERAS) and not name.rpartition(".")[2].startswith(
        _KERAS_WITHOUT_VARIABLES)
