using System;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Hash;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Hash;

/// <summary>What runs in the processes that the parent starts to change a hash database, or to compare it.</summary>
internal static unsafe class HashChild
{
    private const long Buckets = 512; // so that chains are as long as some records
    private const int BucketsEnd = 4_096 + (int)Buckets * sizeof(long);

    /// <summary>Works until it is killed.</summary>
    internal static int Work(ChildOptions options, Journal journal)
    {
        Volatile.Write(ref journal.Head->Phase, 1);
        var findings = new Findings(journal);
        Pauses.ReportTo(&journal.ThreadAt(0)->Point); // recovery passes windows as well
        using HashDatabase database = Open(options, journal);
        CheckUndamaged(database, findings);
        var target = new HashTarget(database, journal, findings);
        if (journal.Head->IsOtherBoot)
            target.Verify(); // what is left of the time before is all that there is to go on from
        else
            target.Reconcile();
        Pauses.ReportTo(null);
        ChildProcess.RunThreads(target, journal, findings, options.Seed);
        return ChildProcess.Failed;
    }

    /// <summary>Compares the database with the journal; every second time, by the seed, it leaves it as a kill would.</summary>
    internal static int Verify(ChildOptions options, Journal journal)
    {
        var findings = new Findings(journal);
        CheckOnly(options, journal, findings);
        CheckDamaged(options, journal, findings);
        HashDatabase database = Open(options, journal);
        CheckUndamaged(database, findings);
        new HashTarget(database, journal, findings).Verify();
        if (options.Seed % 2 == 0)
            return 0;
        database.Dispose();
        return 0;
    }

    // Who only reads opens what a kill left without a recovery, where that is not one that a kill has cut off.
    private static void CheckOnly(ChildOptions options, Journal journal, Findings findings)
    {
        if (journal.Head->IsOtherBoot)
            return;
        try
        {
            using HashDatabase database = Open(options, journal, isReadOnly: true);
            new HashTarget(database, journal, findings).Check();
        }
        catch (Exception e) when (e is FileNotFoundException or HashDatabaseException and not HashDatabaseCorruptException)
        {
            // killed before there was one, or while it was recovered
        }
    }

    // Whether it was killed or closed: a bit of a copy is flipped, and whoever opens that is told, or finds each record as it was.
    private static void CheckDamaged(ChildOptions options, Journal journal, Findings findings)
    {
        string path = PathOf(options);
        if (journal.Head->IsOtherBoot || !File.Exists(path))
            return;
        string copy = path + ".damaged";
        var dice = new Dice(options.Seed);
        for (int flips = 0; flips < 3; flips++)
            CheckFlipped(options, journal, findings, copy, File.ReadAllBytes(path), dice);
        File.Delete(copy);
    }

    private static void CheckFlipped(ChildOptions options, Journal journal, Findings findings, string copy, byte[] bytes, Dice dice)
    {
        int at = dice.OneIn(4) ? dice.Next(BucketsEnd) : dice.Next(bytes.Length);
        bytes[at] ^= (byte)(1 << dice.Next(8));
        File.WriteAllBytes(copy, bytes);
        try
        {
            using var database = HashDatabase.Open(copy, OptionsOf(options, journal));
            int silent = new HashTarget(database, journal, findings).CountSilent();
            if (silent == 0 || database.Recovery is not { TornRecords: 0, DamagedRecords: 0 })
                return;
            string kept = Path.GetFullPath($"silent-{journal.Head->Compared}-{at}");
            if (!Pauses.HasMutation)
                File.WriteAllBytes(kept, bytes); // no run comes by the same file again
            findings.Wrong("behind a flipped bit, records are not as they were, in silence", $"byte {at} of {kept}: {silent}");
        }
        catch (HashDatabaseException)
        {
            // it is refused
        }
    }

    private static void CheckUndamaged(HashDatabase database, Findings findings)
    {
        if (database.Recovery.DamagedRecords != 0)
            findings.Wrong("behind a kill, records are said to be damaged", database.Recovery.ToString());
    }

    private static HashDatabase Open(ChildOptions options, Journal journal, bool isReadOnly = false)
    {
        Directory.CreateDirectory(ChildProcess.PilePath(options.Directory));
        return HashDatabase.Open(PathOf(options), OptionsOf(options, journal) with { ReadOnly = isReadOnly });
    }

    private static string PathOf(ChildOptions options) => Path.Combine(ChildProcess.PilePath(options.Directory), "database");

    private static HashDatabaseOptions OptionsOf(ChildOptions options, Journal journal)
    {
        if (!BlockFile.TryParseKind(options.Target[(TortureOptions.HashTarget.Length + 1)..], out BlockFileKind kind))
            throw new BadArgumentException($"'{options.Target}' names no kind of file.");
        return new HashDatabaseOptions
        {
            FileKind = kind, Tuning = new HashTuning { Buckets = Buckets }, BootId = new Guid(journal.Head->Boot, 0, 0, new byte[8]),
        };
    }
}
