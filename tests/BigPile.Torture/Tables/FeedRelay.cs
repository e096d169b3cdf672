using System;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>Reads the changes of all tables in the child, from where the parent is, and hands them to it.</summary>
internal sealed class FeedRelay : IDisposable
{
    private const ulong SmallSeldom = 4;

    private readonly TableSet _tables;
    private readonly Findings _findings;
    private readonly FeedLog _log;
    private readonly FeedCursor[] _cursors; // by role
    private readonly TableRole[] _read;

    /// <summary>Begins. Most processes, by the seed, read no small window: a later one finds it overrun, or not.</summary>
    internal FeedRelay(string directory, ulong seed, TableSet tables, Findings findings)
    {
        _read = [.. Enum.GetValues<TableRole>().Where(role => !TableSet.HasSmallFeed(role) || seed % SmallSeldom == 0)];
        _tables = tables;
        _findings = findings;
        _log = FeedLog.Open(directory, out _cursors);
    }

    /// <summary>Reads until there is nothing more, and lists the entries, for the parent to compare. Nobody changes the tables.</summary>
    internal void Compare()
    {
        foreach (TableRole role in _read)
        {
            FeedFrame listed = _tables.Of(role).List(); // first: what that drops is told
            _tables.Of(role).Drain(_cursors[(int)role], frame => Add(role, frame));
            Add(role, listed with { Cursor = _cursors[(int)role] });
        }
    }

    /// <summary>Reads beside the threads that change the tables, until the process is killed.</summary>
    internal void Follow()
    {
        foreach (TableRole role in _read)
            new Thread(() => Follow(role)) { IsBackground = true }.Start();
    }

    private void Follow(TableRole role)
    {
        try
        {
            _tables.Of(role).Follow(_cursors[(int)role], frame => Add(role, frame));
        }
        catch (Exception e)
        {
            _findings.Wrong($"while it is running, a reader of changes ended with {e.GetType().Name}", e.ToString());
        }
    }

    private void Add(TableRole role, FeedFrame frame)
    {
        _log.Add(frame with { Role = role });
        _cursors[(int)role] = frame.Cursor;
    }

    public void Dispose() => _log.Dispose();
}
