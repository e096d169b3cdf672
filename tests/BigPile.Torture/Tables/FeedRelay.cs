using System;
using System.Threading;
using BigPile.Caching;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>Reads the changes of all tables in the child, from where the parent is, and hands them to it.</summary>
internal sealed class FeedRelay : IDisposable
{
    private readonly TableSet _tables;
    private readonly Findings _findings;
    private readonly FeedLog _log;
    private readonly FeedCursor[] _cursors; // by role

    internal FeedRelay(string directory, TableSet tables, Findings findings)
    {
        _tables = tables;
        _findings = findings;
        _log = FeedLog.Open(directory, out _cursors);
    }

    /// <summary>Reads until there is nothing more, and lists the entries, for the parent to compare. Nobody changes the tables.</summary>
    internal void Compare()
    {
        for (var role = TableRole.Numbers; (int)role < TableSet.RoleCount; role++)
        {
            TableRole of = role;
            FeedFrame listed = _tables.Of(role).List(); // first: what that drops is told
            _tables.Of(role).Drain(_cursors[(int)role], frame => Add(of, frame));
            Add(role, listed with { Cursor = _cursors[(int)role] });
        }
    }

    /// <summary>Reads beside the threads that change the tables, until the process is killed.</summary>
    internal void Follow(ulong seed)
    {
        for (var role = TableRole.Numbers; (int)role < TableSet.RoleCount; role++)
        {
            TableRole of = role;
            if (TableSet.HasSmallFeed(role) && seed % 2 == 0)
                continue; // the next process finds the window overrun, or not
            new Thread(() => Follow(of)) { IsBackground = true }.Start();
        }
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
