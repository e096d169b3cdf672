using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>The running operations, and the latest ended ones.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class OperationStore(TimeProvider time)
{
    /// <summary>The maximum number of operations kept.</summary>
    internal const int MaxKept = 100;

    private readonly Lock _lock = new();
    private readonly List<Operation> _operations = [];

    /// <summary>Called after each progress report of an action, on the working thread, which waits for it.</summary>
    internal Action<PileProgress>? Progressed { get; set; }

    /// <summary>The operations, the newest first.</summary>
    internal IReadOnlyList<Operation> All
    {
        get
        {
            lock (_lock)
                return [.. _operations.AsEnumerable().Reverse()];
        }
    }

    /// <summary>The number of running operations; tests wait for zero.</summary>
    internal int RunningCount
    {
        get
        {
            lock (_lock)
                return _operations.Count(static operation => operation.State == OperationState.Running);
        }
    }

    /// <summary>Starts an operation, unless too many run.</summary>
    /// <remarks>Loads and exports belong to clients. They have their own count, so that they can't block administration.</remarks>
    /// <param name="kind">What it does.</param>
    /// <param name="table">The table, if it is about one.</param>
    /// <param name="progress">Returns the progress, if known.</param>
    /// <param name="most">The limit: of loads and exports together, or of all others together.</param>
    /// <param name="cancel">Stops it; <see langword="null"/>: it can't be stopped.</param>
    internal Operation? TryBegin(string kind, string? table, Func<JsonObject?> progress, int most, Action? cancel = null)
    {
        var operation = new Operation(kind, table, time.GetUtcNow(), progress, cancel);
        lock (_lock)
        {
            if (_operations.Count(kept => kept.State == OperationState.Running && IsBulk(kept.Kind) == IsBulk(kind)) >= most)
                return null;
            _operations.Add(operation);
            int oldest = _operations.FindIndex(static kept => kept.State != OperationState.Running);
            if (_operations.Count > MaxKept && oldest >= 0)
                _operations.RemoveAt(oldest);
        }
        return operation;
    }

    private static bool IsBulk(string kind) => kind is "load" or "export";

    internal void Complete(Operation operation, JsonNode? result) => operation.End(OperationState.Done, time.GetUtcNow(), result, null);

    internal void Fail(Operation operation, Problem problem) => operation.End(OperationState.Failed, time.GetUtcNow(), null, problem);

    internal void Cancel(Operation operation) => operation.End(OperationState.Cancelled, time.GetUtcNow(), null, null);

    internal Operation? Find(string id)
    {
        lock (_lock)
            return _operations.Find(operation => operation.Id == id);
    }
}

/// <summary>The state of an operation.</summary>
internal enum OperationState
{
    Running,
    Done,
    Failed,
    Cancelled,
}
