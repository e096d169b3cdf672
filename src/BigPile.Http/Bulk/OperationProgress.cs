using System;
using System.Text.Json.Nodes;
using System.Threading;

namespace BigPile.Http.Bulk;

/// <summary>The last that an operation said of how far it is.</summary>
/// <param name="unit">What it counts.</param>
/// <param name="reported">Called after each report, on the thread that does the work.</param>
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

    /// <summary>What was said last; without a total while the operation has not counted what there is to do.</summary>
    internal JsonObject Describe()
    {
        lock (_lock)
            return _last is { } last ? Describe(last, unit) : new JsonObject { ["done"] = 0L, ["unit"] = unit, ["fraction"] = 0.0 };
    }

    /// <summary>The form that progress has in documents.</summary>
    internal static JsonObject Describe(PileProgress progress, string unit) => new()
    {
        ["done"] = progress.Done,
        ["total"] = progress.Total,
        ["unit"] = unit,
        ["fraction"] = progress.Fraction,
    };
}
