using System;
using System.Text.Json.Nodes;
using System.Threading;

namespace BigPile.Http.Bulk;

/// <summary>The latest progress of an operation.</summary>
/// <param name="unit">The unit of progress.</param>
/// <param name="reported">Called after each report, on the working thread.</param>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class OperationProgress(string unit, Action<PileProgress>? reported) : IProgress<PileProgress>
{
    private readonly Lock _lock = new();
    private PileProgress? _last;

    public void Report(PileProgress value)
    {
        lock (_lock)
            _last = value;
        reported?.Invoke(value);
    }

    /// <summary>The latest progress; without a total until the operation has counted its work.</summary>
    internal JsonObject Describe()
    {
        lock (_lock)
            return _last is { } last ? Describe(last, unit) : new JsonObject { ["done"] = 0L, ["unit"] = unit, ["fraction"] = 0.0 };
    }

    /// <summary>Progress as JSON.</summary>
    internal static JsonObject Describe(PileProgress progress, string unit) => new()
    {
        ["done"] = progress.Done,
        ["total"] = progress.Total,
        ["unit"] = unit,
        ["fraction"] = progress.Fraction,
    };
}
