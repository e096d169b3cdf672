using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;

namespace BigPile.Caching.Advice;

/// <summary>Finds settings that don't fit together, and says the remedy. Pure: of the same facts it says the same.</summary>
/// <remarks>
/// It says what is a mistake in all cases, and nothing of what may be meant so. Its texts have no figures that change by themselves: who
/// logs each once logs it once.
/// </remarks>
internal static class Advisor
{
    private const double NearlyFull = 0.9; // of the pile's limit
    private const int LeastIndexBytesPerEntry = 8; // a slot
    private const int LeastEntryBytes = 16; // the smallest slot of a page

    private static readonly TimeSpan LeastFeedWindow = TimeSpan.FromSeconds(5); // readers pause, for a collection or a slow disk

    private static readonly Func<PileFacts, TableOptions, string?>[] OfTable =
    [
        FixedWithoutSize, LargerThanLimit, IndexInLimit, LargerThanPile, SlidingBeyondAge, SlidingWithoutEnd, PublicBeyondAge,
        NeverGivesWay, NeverMakesSpace,
    ];

    private static readonly Func<PileFacts, IReadOnlyList<TableFacts>, string?>[] OfAll =
        [LimitsAboveLimit, FullOfWhatStays, NothingToSpill];

    /// <summary>The advice on a pile and the tables that the application has configured.</summary>
    internal static IEnumerable<string> Of(PileFacts pile, IReadOnlyList<TableFacts> tables) =>
        tables.SelectMany(table => OfTable.Select(rule => rule(pile, table.Options))).Concat(tables.Select(WindowTooShort))
            .Concat(OfAll.Select(rule => rule(pile, tables))).OfType<string>();

    /// <summary>Whether readers of a table's changes have to hurry.</summary>
    internal static bool IsShort(TimeSpan? feedWindow) => feedWindow < LeastFeedWindow;

    private static string? FixedWithoutSize(PileFacts pile, TableOptions table) => table is { FixedIndex: true, InitialEntries: 0 }
        ? $"The table '{table.Name}' has FixedIndex without InitialEntries, so its index has place for a few entries only. Set "
            + "TableOptions.InitialEntries to the number of entries that it is to hold."
        : null;

    private static string? LargerThanLimit(PileFacts pile, TableOptions table) => table.InitialEntries > table.MaxEntries
        ? $"The table '{table.Name}' has an index for {table.InitialEntries:N0} entries, and may hold {table.MaxEntries:N0}. Lower "
            + "TableOptions.InitialEntries, or raise MaxEntries."
        : null;

    private static string? IndexInLimit(PileFacts pile, TableOptions table) =>
        table.InitialEntries > table.MaxBytes / 2 / LeastIndexBytesPerEntry
            ? $"The index of the table '{table.Name}' for {table.InitialEntries:N0} entries takes more than half of its limit of "
                + $"{table.MaxBytes:N0} bytes, which counts it. Lower TableOptions.InitialEntries, or raise MaxBytes."
            : null;

    private static string? LargerThanPile(PileFacts pile, TableOptions table) => table.InitialEntries > pile.LimitBytes / LeastEntryBytes
        ? $"The table '{table.Name}' has an index for {table.InitialEntries:N0} entries, more than the pile can hold with its limit of "
            + $"{pile.LimitBytes:N0} bytes. Lower TableOptions.InitialEntries, or raise {PileLimit.OptionName}."
        : null;

    private static string? SlidingBeyondAge(PileFacts pile, TableOptions table) => table.DefaultSliding > table.DefaultMaxAge
        ? $"Entries of the table '{table.Name}' end at the age of {table.DefaultMaxAge}, so the sliding time of {table.DefaultSliding} "
            + "ends none. Lower TableOptions.DefaultSliding, or raise DefaultMaxAge."
        : null;

    private static string? SlidingWithoutEnd(PileFacts pile, TableOptions table) =>
        table is { DefaultSliding: not null, DefaultMaxAge: null } && !HasLimit(pile, table)
            ? $"Entries of the table '{table.Name}' that are used never end: it has a sliding time, and neither an age nor a limit. Set "
                + "TableOptions.DefaultMaxAge, MaxEntries or MaxBytes."
            : null;

    private static string? PublicBeyondAge(PileFacts pile, TableOptions table) => table.PublicMaxAge > table.DefaultMaxAge
        ? $"Entries of the table '{table.Name}' end at the age of {table.DefaultMaxAge}, so shared caches can't keep them for "
            + $"{table.PublicMaxAge}. Lower TableOptions.PublicMaxAge, or raise DefaultMaxAge."
        : null;

    private static string? NeverGivesWay(PileFacts pile, TableOptions table) =>
        table is { GivesWay: true, DefaultPriority: EntryPriority.NeverEvict }
            ? $"The table '{table.Name}' is to give way to others, and its entries have the priority NeverEvict, which stays. Set another "
                + "TableOptions.DefaultPriority, or no GivesWay."
            : null;

    private static string? NeverMakesSpace(PileFacts pile, TableOptions table) =>
        table is { DefaultPriority: EntryPriority.NeverEvict, DefaultMaxAge: null, DefaultSliding: null } && HasOwnLimit(table)
            ? $"The table '{table.Name}' has a limit, and its entries have the priority NeverEvict and no age: once it is full, puts are "
                + "refused until entries are removed. Set another TableOptions.DefaultPriority, or a DefaultMaxAge."
            : null;

    private static string? WindowTooShort(TableFacts table) => IsShort(table.FeedWindow)
        ? $"The window of changes of the table '{table.Options.Name}' holds less than {LeastFeedWindow.TotalSeconds:N0} seconds of them, "
            + "so a reader that pauses for so long has to walk through the whole table. "
            + (table.Options.FeedBytes == null ? "Set TableOptions.FeedBytes, such as 16 MiB." : "Raise TableOptions.FeedBytes")
            + (table.Options.FeedsValues ? ", or leave FeedsValues out." : table.Options.FeedBytes == null ? "" : ".")
        : null;

    private static string? LimitsAboveLimit(PileFacts pile, IReadOnlyList<TableFacts> tables)
    {
        TableOptions[] limited = [.. tables.Select(static table => table.Options).Where(static table => IsLimit(table.MaxBytes))];
        // As a floating number: of a sum of limits of nearly 2^63 each not even a check is an overflow.
        if (!IsLimit(pile.LimitBytes) || limited.Sum(static table => (double)table.MaxBytes!.Value) <= pile.LimitBytes)
            return null;
        string? stays = limited.Where(static table => !table.MayGiveWay).Select(static table => table.Name).Min(StringComparer.Ordinal);
        return $"The limits of the tables in bytes (TableOptions.MaxBytes) add up to more than that of the pile, {pile.LimitBytes:N0}: "
            + (stays == null
                ? "they give way to each other before they reach their own. "
                : $"puts into the table '{stays}', which does not give way, are refused before it evicts at its own. ")
            + $"Lower them, or raise {PileLimit.OptionName}.";
    }

    private static string? FullOfWhatStays(PileFacts pile, IReadOnlyList<TableFacts> tables)
    {
        long goes = tables.Sum(static table => table.BlockBytes - table.StayingBytes);
        if (!IsLimit(pile.LimitBytes) || pile.UsedBytes - goes <= NearlyFull * pile.LimitBytes)
            return null;
        TableFacts largest = tables.OrderByDescending(static table => table.StayingBytes)
            .ThenBy(static table => table.Options.Name, StringComparer.Ordinal).FirstOrDefault();
        return $"More than 90 % of the pile's limit of {pile.LimitBytes:N0} bytes is in use by what never gives way, above all by "
            + (largest.StayingBytes < pile.UsedBytes - tables.Sum(static table => table.BlockBytes)
                ? "objects outside of tables: soon puts are refused. Delete objects, keep them in a table that gives way"
                : largest.Options.MayGiveWay
                ? $"entries of the table '{largest.Options.Name}' with the priority NeverEvict: soon puts are refused. Put them with "
                    + "another EntryOptions.Priority or with an age"
                : $"the table '{largest.Options.Name}': soon its puts are refused. Set TableOptions.GivesWay or a lower MaxBytes of that "
                    + "table")
            + $", or raise {PileLimit.OptionName}.";
    }

    private static string? NothingToSpill(PileFacts pile, IReadOnlyList<TableFacts> tables)
    {
        if (!pile.Spills || tables.Count == 0 || tables.Any(table => Evicts(pile, table.Options)))
            return null;
        return "Nothing goes to PileCacheOptions.SpillDirectory: " + (tables.Any(table => HasLimit(pile, table.Options))
            ? "entries of all tables with a limit have the priority NeverEvict. Set another TableOptions.DefaultPriority"
            : "no table evicts. Set TableOptions.MaxBytes or MaxEntries") + ", or leave the directory out.";
    }

    private static bool Evicts(PileFacts pile, TableOptions table) =>
        table.DefaultPriority != EntryPriority.NeverEvict && HasLimit(pile, table);

    // Its own, or that of the pile, for which it gives way.
    private static bool HasLimit(PileFacts pile, TableOptions table) =>
        HasOwnLimit(table) || (table.MayGiveWay && IsLimit(pile.LimitBytes));

    private static bool HasOwnLimit(TableOptions table) => IsLimit(table.MaxBytes) || IsLimit(table.MaxEntries);

    private static bool IsLimit(long? most) => most is < long.MaxValue;
}

/// <summary>A pile, as the advisor sees it.</summary>
/// <param name="LimitBytes">Its limit; <see cref="long.MaxValue"/>: none.</param>
/// <param name="UsedBytes">Bytes of its objects and of the entries of these tables, with headers and slack.</param>
/// <param name="Spills">Whether tables move evicted entries to files.</param>
internal readonly record struct PileFacts(long LimitBytes, long UsedBytes, bool Spills);

/// <summary>A table, as the advisor sees it.</summary>
/// <param name="Options">Its options.</param>
/// <param name="BlockBytes">Bytes of its entries in the pile, and of the objects that go with them.</param>
/// <param name="StayingBytes">Bytes of those that never give way.</param>
internal readonly record struct TableFacts(TableOptions Options, long BlockBytes, long StayingBytes)
{
    /// <summary>How long the window of its changes holds one; <see langword="null"/>: nobody reads them, or none was lost yet.</summary>
    internal TimeSpan? FeedWindow { get; init; }
}
