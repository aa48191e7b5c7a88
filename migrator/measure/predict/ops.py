"""What ops do with memory: which pass a buffer on, which reuse their input's, which hold nothing.

Facts from TensorFlow's kernels: `forward_input_or_allocate_output` calls (in-place), kernels whose
output shares the input's buffer (alias), and ops whose output lies outside the measured step
(constants, variables, shapes that live on the host).
"""

from __future__ import annotations

# The output is the input's buffer.
ALIAS = frozenset(
    """
    Identity IdentityN Reshape Squeeze ExpandDims StopGradient PreventGradient Snapshot EnsureShape
    CheckNumerics Bitcast Placeholder PlaceholderWithDefault _Arg _Retval
    Switch Merge Enter Exit NextIteration
    """.split()
)

# Whole rows of the first dimension share the input's buffer (strided_slice_op.cc, slice_op.cc).
SLICES = frozenset({"StridedSlice", "Slice"})

# Parts along the first dimension share the input's buffer, too (split_op.cc, split_v_op.cc,
# unpack_op.cc): where the input is among the op's inputs, and where the constant axis (-1: an attribute).
PARTS = {"Split": (1, 0), "SplitV": (0, 2), "Unpack": (0, -1)}

# The output takes no memory of the step: resident already, host-side scalars, or nothing at all.
FREE = frozenset(
    """
    Const HostConst Placeholder _Arg ReadVariableOp VarHandleOp VariableV2 NoOp Shape ShapeN Size
    Rank AssignVariableOp AssignAddVariableOp AssignSubVariableOp BroadcastGradientArgs ConcatOffset
    ResourceApplyGradientDescent ResourceApplyMomentum ResourceApplyKerasMomentum
    ResourceApplyRMSProp ResourceApplyAdam ResourceApplyAdagrad Assert
    """.split()
)

# The kernel writes over an input that nobody else needs, where shape and type allow it.
FORWARDS = frozenset(
    """
    Relu Relu6 Elu Selu LeakyRelu Sigmoid Tanh Softplus Softsign Exp Expm1 Log Log1p Neg Sqrt Rsqrt
    Square Abs Sign Floor Ceil Round Rint Erf Erfc Reciprocal Inv Sin Cos
    Add AddV2 Sub Mul Div RealDiv DivNoNan MulNoNan Maximum Minimum Pow SquaredDifference BiasAdd AddN
    ReluGrad Relu6Grad EluGrad SeluGrad LeakyReluGrad SigmoidGrad TanhGrad SoftplusGrad RsqrtGrad
    SqrtGrad ReciprocalGrad InvGrad Softmax LogSoftmax Select SelectV2 ClipByValue Cast
    FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 _FusedBatchNormEx
    GreaterEqual Greater Less LessEqual LogicalAnd LogicalOr LogicalNot
    """.split()
)

# Identity-like ops and arithmetic with a neutral constant: grappler removes them before the run.
SKIPPED = frozenset({"Identity", "IdentityN", "StopGradient", "PreventGradient"})
NEUTRAL = {"Mul": 1.0, "RealDiv": 1.0, "Div": 1.0, "Add": 0.0, "AddV2": 0.0, "Sub": 0.0}
COMMUTES = frozenset({"Mul", "Add", "AddV2"})

# Calls of functions, which are written out before a graph is run.
CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})

# Grappler knows these from static shapes alone.
SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank"})
# Never replaced by a constant, though stateless and fed by constants.
NOT_FOLDED = frozenset({"Placeholder", "PlaceholderWithDefault", "NoOp", "IdentityN"})

# Variables that are written where they lie.
UPDATES = frozenset({"AssignAddVariableOp", "AssignSubVariableOp"})

# The output is a list's elements side by side (see `lists` for what else is done to lists).
LIST_READ = frozenset({"TensorListStack", "TensorListConcat", "TensorListConcatV2"})
