using System;
using System.IO;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Files;
using BigPile.Hash;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Hash;

/// <summary>What runs in the processes that the parent starts to change a hash database, or to compare it.</summary>
internal static unsafe class HashChild
{
    private const long Buckets = 512; // so that chains are as long as some records

    /// <summary>Works until it is killed.</summary>
    internal static int Work(ChildOptions options, Journal journal)
    {
        Volatile.Write(ref journal.Head->Phase, 1);
        var findings = new Findings(journal);
        KillPoint.ReportTo(&journal.ThreadAt(0)->Window); // recovery passes windows as well
        using HashDatabase database = Open(options, journal);
        var target = new HashTarget(database, journal, findings);
        if (journal.Head->IsOtherBoot)
            target.Verify(); // what is left of the time before is all that there is to go on from
        else
            target.Settle();
        KillPoint.ReportTo(null);
        ChildProcess.RunThreads(target, journal, findings, options.Seed);
        return ChildProcess.Failed;
    }

    /// <summary>Compares the database with the journal; every second time, by the seed, it leaves it as a kill would.</summary>
    internal static int Verify(ChildOptions options, Journal journal)
    {
        var findings = new Findings(journal);
        LookOnly(options, journal, findings);
        HashDatabase database = Open(options, journal);
        new HashTarget(database, journal, findings).Verify();
        if (options.Seed % 2 == 0)
            return 0;
        database.Dispose();
        return 0;
    }

    // Who only reads opens what a kill left without a recovery, where that is not one that a kill has cut off.
    private static void LookOnly(ChildOptions options, Journal journal, Findings findings)
    {
        if (journal.Head->IsOtherBoot)
            return;
        try
        {
            using HashDatabase database = Open(options, journal, isReadOnly: true);
            new HashTarget(database, journal, findings).Look();
        }
        catch (Exception e) when (e is FileNotFoundException or HashDatabaseException and not HashDatabaseCorruptException)
        {
            // killed before there was one, or while it was recovered
        }
    }

    private static HashDatabase Open(ChildOptions options, Journal journal, bool isReadOnly = false)
    {
        string directory = ChildProcess.PilePath(options.Directory);
        Directory.CreateDirectory(directory);
        if (!BlockFile.TryParseKind(options.Target[(TortureOptions.HashTarget.Length + 1)..], out BlockFileKind kind))
            throw new BadArgumentException($"'{options.Target}' names no kind of file.");
        return HashDatabase.Open(Path.Combine(directory, "database"), new HashDatabaseOptions
        {
            FileKind = kind,
            ReadOnly = isReadOnly,
            Tuning = new HashTuning { Buckets = Buckets },
            BootId = new Guid(journal.Head->Boot, 0, 0, new byte[8]),
            Window = static window => KillPoint.Pass(HashWindows.Of(window)),
            Control = ControlNow(),
        });
    }

    private static HashControl ControlNow() => Environment.GetEnvironmentVariable("BIGPILE_TORTURE_CONTROL") switch
    {
        "link-first" => HashControl.LinkFirst,
        "room-freed-first" => HashControl.FreedFirst,
        "unmarked" => HashControl.NoMarks,
        _ => HashControl.None,
    };
}
