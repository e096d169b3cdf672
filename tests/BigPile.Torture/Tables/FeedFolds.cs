using System.Linq;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>What the parent makes of the changes of all tables.</summary>
internal sealed class FeedFolds
{
    private readonly string _directory;
    private readonly FeedFold[] _folds; // by role

    internal FeedFolds(string directory, Journal journal)
    {
        _directory = directory;
        var findings = new Findings(journal);
        _folds = [.. Enumerable.Range(0, TableSet.RoleCount).Select(role => new FeedFold((TableRole)role, journal, findings))];
    }

    /// <summary>A child is to be started: it continues where the last one ended.</summary>
    internal void BeginChild() => FeedLog.Begin(_directory, _folds.Select(static fold => fold.Cursor));

    /// <summary>A child has ended: takes over what it has read.</summary>
    internal void EndChild()
    {
        foreach (FeedFrame frame in FeedLog.Read(_directory))
            _folds[(int)frame.Role].Apply(frame);
    }

    /// <summary>The pile is begun anew.</summary>
    internal void Forget()
    {
        foreach (FeedFold fold in _folds)
            fold.Forget();
    }

    public override string ToString() =>
        $"changes read {_folds.Sum(static fold => fold.Changes):N0}, gaps {_folds.Sum(static fold => fold.Gaps):N0}, "
        + $"folds compared {_folds.Sum(static fold => fold.Compared):N0}";
}
