"""ConfigProto and GPUOptions become one `configure_gpus` call before a device is used."""

from __future__ import annotations

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung
from migrator.transforms import _flow as flow
from migrator.transforms._entry_point import entry_point, with_first_statement

_CONFIG = "tensorflow.ConfigProto"
_OPTIONS = "tensorflow.GPUOptions"
# ConfigProto fields -> parameters of configure_gpus
_FIELDS = {
    "allow_soft_placement": "soft_placement",
    "log_device_placement": "log_placement",
    "inter_op_parallelism_threads": "inter_op_threads",
    "intra_op_parallelism_threads": "intra_op_threads",
    "gpu_options.visible_device_list": "visible",
    "gpu_options.allow_growth": "growth",
    "gpu_options.per_process_gpu_memory_fraction": "fraction",
}
# Fields that only tuned TF1's runtime; TF 2's defaults serve.
_IDLE = frozenset(
    {
        "gpu_options.allocator_type",
        "gpu_options.polling_inactive_delay_msecs",
        "gpu_options.force_gpu_compatible",
        "graph_options.optimizer_options.global_jit_level",
        "isolate_session_state",
        "use_per_session_threads",
    }
)
_TAKES_CONFIG = ("config", "session_config")


@transform
class GpuConfig:
    """Turns the session configurations of a file into `configure_gpus` calls."""

    name = "gpu_config"
    triggers = frozenset({_CONFIG, _OPTIONS})
    order = 7

    def run(self, ctx: FileContext) -> cst.Module | None:
        visitor = _Bodies(ctx)
        module = ctx.module.visit(visitor)
        if visitor.at_entry:
            module = with_first_statement(module, _call_statement(ctx, visitor.at_entry))
        return module if visitor.changed else None


class _Bodies(cst.CSTTransformer):
    """Rewrites function bodies and the module body, each on its own."""

    def __init__(self, ctx: FileContext) -> None:
        super().__init__()
        self.ctx = ctx
        self.changed = False
        self.at_entry: dict[str, cst.BaseExpression] = {}

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        body = self._body(original_node)
        return updated_node if body is None else updated_node.with_changes(body=body)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        made = self._body(original_node)
        if made is None:
            return updated_node
        assert isinstance(made, cst.Module)
        rebuilt = {
            id(old): new
            for old, new in zip(original_node.body, updated_node.body, strict=False)
            if len(original_node.body) == len(updated_node.body)
        }
        statements = [rebuilt.get(id(statement), statement) for statement in made.body]
        return updated_node.with_changes(body=statements)

    def _body(self, scope: cst.FunctionDef | cst.Module) -> cst.CSTNode | None:
        found = _Configs(self.ctx, scope)
        if not found.configs:
            return None
        table = found.rewrite(self.at_entry)
        if not table:
            return None
        self.changed = True
        target = scope.body if isinstance(scope, cst.FunctionDef) else scope
        made = target.visit(_Writer(table))
        assert isinstance(made, cst.CSTNode)
        if isinstance(made, cst.IndentedBlock) and not made.body:
            made = made.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])
        return made


class _Configs:
    """The configurations of one function: what each field is set to, and who takes them."""

    def __init__(self, ctx: FileContext, scope: cst.FunctionDef | cst.Module) -> None:
        self.ctx = ctx
        self.scope = scope
        self.configs: dict[str, dict[str, cst.BaseExpression]] = {}
        self.made: dict[str, cst.SimpleStatementLine] = {}
        self.options: dict[str, cst.Call] = {}
        self.inline: list[tuple[cst.Arg, cst.Call]] = []
        self.dropped: dict[str, list[cst.CSTNode]] = {}
        self.nodes = list(_scope_nodes(scope))
        self._find()

    def _find(self) -> None:
        for node in self.nodes:
            pair = flow.assigned(node)
            if pair and isinstance(pair[1], cst.Call) and isinstance(node, cst.SimpleStatementLine):
                key = flow.key_of(pair[0])
                name = self.ctx.resolve(pair[1].func)
                if key and name == _OPTIONS:
                    self.options[key] = pair[1]
                    self.dropped.setdefault(key, []).append(node)
        for node in self.nodes:
            pair = flow.assigned(node)
            if pair and isinstance(pair[1], cst.Call) and isinstance(node, cst.SimpleStatementLine):
                key = flow.key_of(pair[0])
                if key and self.ctx.resolve(pair[1].func) == _CONFIG:
                    self.configs[key] = self._fields(pair[1])
                    self.made[key] = node
                    self.dropped.setdefault(key, []).append(node)
            if isinstance(node, cst.Arg) and isinstance(node.value, cst.Call):
                if (
                    self.ctx.resolve(node.value.func) == _CONFIG
                    and node.keyword is not None
                    and node.keyword.value in _TAKES_CONFIG
                ):
                    self.inline.append((node, node.value))
                    self.configs[f"<{len(self.inline)}>"] = self._fields(node.value)
        for node in self.nodes:
            pair = flow.assigned(node)
            if pair is None or not isinstance(pair[0], cst.Attribute):
                continue
            path = flow.code_of(pair[0])
            for key in self.configs:
                if path.startswith(key + "."):
                    self.configs[key][path[len(key) + 1 :]] = pair[1]
                    self.dropped.setdefault(key, []).append(node)

    def _fields(self, call: cst.Call) -> dict[str, cst.BaseExpression]:
        fields: dict[str, cst.BaseExpression] = {}
        for arg in call.args:
            if arg.keyword is None:
                continue
            if arg.keyword.value == "gpu_options":
                value = arg.value
                made = value if isinstance(value, cst.Call) else self.options.get(
                    flow.key_of(value) or ""
                )
                if made is None:
                    fields["gpu_options"] = value
                    continue
                for option in made.args:
                    if option.keyword is not None:
                        fields[f"gpu_options.{option.keyword.value}"] = option.value
                continue
            fields[arg.keyword.value] = arg.value
        return fields

    def rewrite(self, entry: dict[str, cst.BaseExpression]) -> dict[int, list[cst.CSTNode]]:
        """What replaces which node; fields that may be set at the entry point go to `entry`."""
        table: dict[int, list[cst.CSTNode]] = {}
        for key, fields in self.configs.items():
            anchor: cst.CSTNode = self.made.get(key) or self._statement_of(key)
            if key in self.made and not self._only_taken(key):
                self.ctx.finding(
                    "TF402",
                    anchor,
                    f"the session configuration {key} is used in a way that is not followed",
                    "call configure_gpus at the entry point and drop the ConfigProto",
                    Rung.MANUAL,
                    "tf.ConfigProto",
                )
                continue
            arguments = self._arguments(fields, anchor)
            last: cst.CSTNode = anchor
            for node in self.dropped.get(key, ()):
                table[id(node)] = []
                last = node
            for used, call in self.options.items():
                if any(call is v or flow.key_of(v) == used for v in self._option_values(key)):
                    for node in self.dropped.get(used, ()):
                        table[id(node)] = []
            movable = all(not _reads_locals(value, self.scope) for value in arguments.values())
            if arguments and movable and entry_point(self.ctx.module) is not None:
                for name, value in arguments.items():
                    entry.setdefault(name, value)
            elif arguments:
                made = _call_statement(self.ctx, arguments)
                if key in self.made:
                    table[id(last)] = [_leading(made, self.made[key])]
                else:
                    table.setdefault(id(anchor), []).append(made)
                    table[id(anchor)].append(anchor)
            for arg in self._taking(key):
                table[id(arg)] = []
            self.ctx.change(
                "TF401",
                anchor,
                "GPUs are set up once, before they are used",
                Rung.SUPPORT,
                Confidence.LIKELY,
                "tf.ConfigProto",
            )
        return table

    def _option_values(self, key: str) -> list[cst.BaseExpression]:
        node = self.made.get(key)
        pair = flow.assigned(node) if node is not None else None
        call = pair[1] if pair else None
        if call is None:
            call = self.inline[int(key.strip("<>")) - 1][1]
        assert isinstance(call, cst.Call)
        return [arg.value for arg in call.args]

    def _statement_of(self, key: str) -> cst.CSTNode:
        arg = self.inline[int(key.strip("<>")) - 1][0]
        best: cst.CSTNode = self.nodes[0]
        for node in self.nodes:
            if isinstance(node, (cst.SimpleStatementLine, cst.With)) and any(
                inner is arg for inner in flow.walk(node)
            ):
                best = node
                if isinstance(node, cst.SimpleStatementLine):
                    break
                if any(inner is arg for item in node.items for inner in flow.walk(item)):
                    break
        return best

    def _taking(self, key: str) -> list[cst.Arg]:
        if key.startswith("<"):
            return [self.inline[int(key.strip("<>")) - 1][0]]
        return [
            node
            for node in self.nodes
            if isinstance(node, cst.Arg)
            and node.keyword is not None
            and node.keyword.value in _TAKES_CONFIG
            and flow.key_of(node.value) == key
        ]

    def _only_taken(self, key: str) -> bool:
        """Whether a configuration is only filled and handed to sessions."""
        allowed = {id(inner) for arg in self._taking(key) for inner in flow.walk(arg)}
        for node in self.dropped[key]:
            allowed |= {id(inner) for inner in flow.walk(node)}
        return all(
            id(node) in allowed
            for node in self.nodes
            if isinstance(node, (cst.Name, cst.Attribute)) and flow.key_of(node) == key
        )

    def _arguments(
        self, fields: dict[str, cst.BaseExpression], anchor: cst.CSTNode
    ) -> dict[str, cst.BaseExpression]:
        arguments: dict[str, cst.BaseExpression] = {}
        growth = fraction = None
        for path, value in fields.items():
            name = _FIELDS.get(path)
            if name == "growth":
                growth = value
            elif name == "fraction":
                fraction = value
            elif name is not None:
                arguments[name] = value
            elif path == "device_count":
                text = "".join(flow.code_of(value).split()).replace('"', "'")
                if "'GPU':0" in text:
                    arguments["visible"] = cst.List([])
            elif path not in _IDLE:
                self.ctx.finding(
                    "TF402",
                    anchor,
                    f"ConfigProto.{path} has no counterpart in configure_gpus",
                    "see tf.config for the setting, or leave TensorFlow's default",
                    Rung.MANUAL,
                    "tf.ConfigProto",
                )
        wanted = self.ctx.options.gpu_memory
        if growth is not None and isinstance(growth, cst.Name) and growth.value == "False":
            growth = None
        memory: cst.BaseExpression | None = None
        if wanted == "growth" and (growth is not None or fraction is not None):
            memory = cst.SimpleString("'growth'")
        elif fraction is not None and (wanted == "limit" or growth is None):
            memory = fraction
        elif growth is not None:
            memory = cst.SimpleString("'growth'")
        if memory is not None:
            arguments = {"memory": memory, **arguments}
        return arguments


class _Writer(cst.CSTTransformer):
    """Replaces statements by others and removes arguments."""

    def __init__(self, table: dict[int, list[cst.CSTNode]]) -> None:
        super().__init__()
        self.table = table

    def on_visit(self, node: cst.CSTNode) -> bool:
        return not isinstance(node, (cst.FunctionDef, cst.ClassDef))

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode):  # type: ignore
        if isinstance(updated_node, cst.Call) and len(updated_node.args) != len(
            original_node.args  # type: ignore[attr-defined]
        ):
            args = list(updated_node.args)
            if args:
                args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return updated_node.with_changes(args=args)
        made = self.table.get(id(original_node))
        if made is None:
            return updated_node
        if not made:
            return cst.RemoveFromParent()
        return cst.FlattenSentinel(
            [updated_node if node is original_node else node for node in made]
        )


def _scope_nodes(scope: cst.FunctionDef | cst.Module) -> list[cst.CSTNode]:
    found: list[cst.CSTNode] = []
    stack = list(reversed(scope.body.children if isinstance(scope, cst.FunctionDef)
                          else scope.body))
    while stack:
        node = stack.pop()
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            continue
        found.append(node)
        stack.extend(reversed(node.children))
    return found


def _reads_locals(value: cst.BaseExpression, scope: cst.FunctionDef | cst.Module) -> bool:
    """Whether an expression needs names of its function (`FLAGS` and literals do not)."""
    if isinstance(scope, cst.Module):
        return bool(flow.reads(value))
    local = flow.writes(scope.body) | flow.parameters(scope)
    return bool(flow.reads(value) & local)


def _leading(statement: cst.SimpleStatementLine, source: cst.CSTNode) -> cst.SimpleStatementLine:
    return statement.with_changes(leading_lines=getattr(source, "leading_lines", ()))


def _call_statement(
    ctx: FileContext, arguments: dict[str, cst.BaseExpression]
) -> cst.SimpleStatementLine:
    args: list[cst.Arg] = []
    for name, value in arguments.items():
        args.append(cst.Arg(value) if name == "memory" else flow.keyword(name, value))
    return cst.SimpleStatementLine(
        [cst.Expr(flow.call(ctx.support("gpu.configure_gpus"), *args))]
    )
