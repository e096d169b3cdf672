using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>The operations that run, and the last ones that ran.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class OperationStore(TimeProvider time)
{
    /// <summary>How many operations are remembered.</summary>
    internal const int MaxKept = 100;

    private readonly Lock _lock = new();
    private readonly List<Operation> _operations = [];

    /// <summary>Called after each report of an action's progress, on the thread that does the work, which waits for it.</summary>
    internal Action<PileProgress>? Progressed { get; set; }

    /// <summary>The operations, the last begun first.</summary>
    internal IReadOnlyList<Operation> All
    {
        get
        {
            lock (_lock)
                return [.. _operations.AsEnumerable().Reverse()];
        }
    }

    /// <summary>How many operations run; tests wait until none does.</summary>
    internal int RunningCount
    {
        get
        {
            lock (_lock)
                return _operations.Count(static operation => operation.State == OperationState.Running);
        }
    }

    /// <summary>States that an operation begins, unless as many run as may run at once.</summary>
    /// <remarks>Loads and exports are counted by themselves: they are the clients', and must not keep administration out.</remarks>
    /// <param name="kind">What it does.</param>
    /// <param name="table">To which table, if to one.</param>
    /// <param name="progress">Tells how far it is, if that is known.</param>
    /// <param name="most">The most that may run, loads and exports together or all others together.</param>
    /// <param name="cancel">Stops it, if that can be done.</param>
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
