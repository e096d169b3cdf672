using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace BigPile.Testing;

/// <summary>What the images of a test showed.</summary>
/// <remarks>Thread safety: findings may be added concurrently.</remarks>
internal sealed class CutTally
{
    private const int MaxPrinted = 3;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, int> _counts = [];
    private readonly List<string> _findings = [];

    internal long Images { get; set; }

    internal long Checked { get; set; }

    internal long Restored { get; set; }

    internal long Faults { get; set; }

    internal long DirtySectors { get; set; }

    internal long LostSectors { get; set; }

    /// <summary>How often the disk had no space for the flush log.</summary>
    internal long OutOfSpace { get; set; }

    /// <summary>Whether nothing was found.</summary>
    internal bool IsClean => _findings.Count == 0;

    internal int CountOf(string kind)
    {
        lock (_lock)
            return _counts.GetValueOrDefault(kind);
    }

    internal void Find(string kind, string text)
    {
        lock (_lock)
        {
            _counts[kind] = _counts.GetValueOrDefault(kind) + 1;
            _findings.Add($"{kind}: {text}");
        }
    }

    public override string ToString()
    {
        string counts =
            $"images {Images:N0}, sectors stored {DirtySectors:N0} and lost {LostSectors:N0}, objects checked {Checked:N0}, "
            + $"put back {Restored:N0}, faults reported {Faults:N0}, lost {CountOf("lost")}, wrong {CountOf("wrong")}, "
            + $"back {CountOf("back")}, changed by a restart or a kill {CountOf("changed")}, leaked {CountOf("leaked")}, "
            + $"unsound {CountOf("unsound")}, failed {CountOf("failed")}";
        IEnumerable<IGrouping<string, string>> kinds = _findings.GroupBy(static finding => finding.Split(':')[0]);
        return string.Join('\n', kinds.SelectMany(static kind => kind.Take(MaxPrinted)).Prepend(counts));
    }
}
