using System;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>Work that takes longer than a request should wait.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class Operation(string kind, string? table, DateTimeOffset startedAt, Func<JsonObject?> progress, Action? cancel)
{
    private readonly Lock _lock = new();
    private OperationState _state;
    private Func<JsonObject?>? _progress = progress; // none once it has ended, so that what it reads can be collected
    private JsonObject? _lastProgress;
    private DateTimeOffset? _endedAt;
    private JsonNode? _result;
    private Problem? _error;

    internal string Kind => kind;

    internal string Id { get; } = Guid.NewGuid().ToString("n");

    internal OperationState State
    {
        get
        {
            lock (_lock)
                return _state;
        }
    }

    /// <summary>Asks the operation to stop.</summary>
    /// <returns><see langword="false"/> if it can't be stopped, or has ended.</returns>
    internal bool TryCancel()
    {
        if (cancel == null || State != OperationState.Running)
            return false;
        cancel();
        return true;
    }

    /// <summary>Ends the operation; later calls are ignored.</summary>
    internal void End(OperationState state, DateTimeOffset at, JsonNode? result, Problem? error)
    {
        lock (_lock)
        {
            if (_state != OperationState.Running)
                return;
            _lastProgress = _progress!();
            _progress = null;
            _state = state;
            _endedAt = at;
            _result = result;
            _error = error;
        }
    }

    /// <summary>The operation as JSON.</summary>
    internal JsonObject Describe()
    {
        lock (_lock)
        {
            var document = new JsonObject
            {
                ["id"] = Id,
                ["kind"] = kind,
                ["state"] = JsonNamingPolicy.CamelCase.ConvertName(_state.ToString()),
                ["startedAt"] = startedAt,
            };
            if (table != null)
                document["table"] = table;
            if (_endedAt is { } endedAt)
                document["endedAt"] = endedAt;
            if ((_progress != null ? _progress() : _lastProgress?.DeepClone()) is { } soFar)
                document["progress"] = soFar;
            if (_result != null)
                document["result"] = _result.DeepClone();
            if (_error != null)
                document["error"] = JsonSerializer.SerializeToNode(_error, ProblemJson.Default.Problem);
            return document;
        }
    }
}
