using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Threading;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore;

/// <summary>Reports all wrong options at once when the host starts, before anything is opened.</summary>
internal sealed class BigPileOptionsValidator : IValidateOptions<BigPileOptions>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, BigPileOptions options)
    {
        string[] failures =
            [.. LocationFailures(options), .. SizeFailures(options), .. PileFailures(options), .. TableFailures(options.Tables)];
        if (failures.Length == 0)
            return ValidateOptionsResult.Success;
        string pileSuffix = string.IsNullOrEmpty(name) ? "" : $" (pile '{name}')";
        return ValidateOptionsResult.Fail(failures.Select(failure => failure + pileSuffix));
    }

    private static IEnumerable<string> LocationFailures(BigPileOptions options)
    {
        if (options.Name is { } name && string.IsNullOrWhiteSpace(name))
            yield return "BigPileOptions.Name is blank; give the pile a name, or leave it null for that of its directory.";
        if (options.Directory is { } directory && string.IsNullOrWhiteSpace(directory))
            yield return "BigPileOptions.Directory is blank; name a directory, or set null for a pile in memory.";
        if (!Enum.IsDefined(options.Store))
            yield return NoneOf(nameof(options.Store), options.Store);
        else if (options.Store == StoreKind.Mapped && options.Directory == null)
            yield return "BigPileOptions.Store is Mapped and BigPileOptions.Directory is null; name the directory of the files, or "
                + $"set the store to {StoreKind.Native} or {StoreKind.Managed}.";
    }

    private static string NoneOf<T>(string option, T value)
        where T : struct, Enum =>
        $"BigPileOptions.{option} is {value}; it must be one of {string.Join(", ", Enum.GetNames<T>())}.";

    private static IEnumerable<string> SizeFailures(BigPileOptions options)
    {
        if (options.SegmentBytes is < PileOptions.MinSegmentBytes or > PileOptions.MaxSegmentBytes
            || !BitOperations.IsPow2(options.SegmentBytes))
        {
            yield return $"BigPileOptions.SegmentBytes is {options.SegmentBytes:N0}; it must be a power of two from "
                + $"{PileOptions.MinSegmentBytes:N0} to {PileOptions.MaxSegmentBytes:N0}.";
        }
        if (options.MaxBytes < PileOptions.MinLimitBytes)
            yield return $"BigPileOptions.MaxBytes is {options.MaxBytes:N0}; it must be at least {PileOptions.MinLimitBytes:N0}.";
        if (options.MemoryShare is { } share && FailureOf(share, options) is { } failure)
            yield return failure;
        if (options.MaxTables is < 1 or > BigPileOptions.LargestMaxTables)
            yield return $"BigPileOptions.MaxTables is {options.MaxTables:N0}; it must be from 1 to {BigPileOptions.LargestMaxTables:N0}.";
        if (options.OpenTimeout < TimeSpan.Zero || options.OpenTimeout > PileOptions.MaxOpenTimeout)
            yield return $"BigPileOptions.OpenTimeout is {options.OpenTimeout}; it must not be negative, and at most "
                + $"{PileOptions.MaxOpenTimeout}. Zero does not wait.";
        if (options.StartWait < TimeSpan.Zero)
            yield return $"BigPileOptions.StartWait is {options.StartWait}; it must not be negative. "
                + "Zero opens the pile in the background.";
    }

    private static string? FailureOf(double share, BigPileOptions options)
    {
        if (share is not (> 0 and <= 1))
            return $"BigPileOptions.MemoryShare is {share}; it must be above 0 and at most 1.";
        if (options.MaxBytes is { } maxBytes)
            return $"BigPileOptions.MaxBytes is {maxBytes:N0}, and BigPileOptions.MemoryShare is {share}; a pile has one limit: leave one "
                + "of them out.";
        return options.Directory == null || options.Shared
            ? null
            : $"BigPileOptions.MemoryShare is {share}, and BigPileOptions.Directory puts the pile in files, which no part of the memory "
                + "limits; set BigPileOptions.MaxBytes, or leave both out for no limit.";
    }

    private static IEnumerable<string> PileFailures(BigPileOptions options)
    {
        if (options.FlushInterval is { } interval && (interval <= TimeSpan.Zero || interval > PileOptions.MaxFlushInterval))
            yield return $"BigPileOptions.FlushInterval is {interval}; it must be above zero and at most "
                + $"{PileOptions.MaxFlushInterval}, or "
                + "null for never.";
        if (options.FlushLogBytes is < PileOptions.MinFlushLogBytes or > PileOptions.MaxFlushLogBytes)
            yield return $"BigPileOptions.FlushLogBytes is {options.FlushLogBytes:N0}; it must be from "
                + $"{PileOptions.MinFlushLogBytes:N0} to "
                + $"{PileOptions.MaxFlushLogBytes:N0}.";
        if (options.WarmupBytesPerSecond < 0)
            yield return $"BigPileOptions.WarmupBytesPerSecond is {options.WarmupBytesPerSecond:N0}; it must not be negative. 0 is no "
                + "limit.";
        if (options.FactoryPatience != Timeout.InfiniteTimeSpan
            && (options.FactoryPatience <= TimeSpan.Zero || options.FactoryPatience > PileCacheOptions.MaxFactoryTimeout))
            yield return $"BigPileOptions.FactoryPatience is {options.FactoryPatience}; it must be above zero and at most "
                + $"{PileCacheOptions.MaxFactoryTimeout}, or infinite.";
        if (options.MaxFactories < 1)
            yield return $"BigPileOptions.MaxFactories is {options.MaxFactories:N0}; it must be at least 1, or null for any number.";
        if (options.MaxRefreshes < 1)
            yield return $"BigPileOptions.MaxRefreshes is {options.MaxRefreshes:N0}; it must be at least 1.";
        if (!Enum.IsDefined(options.Warmup))
            yield return NoneOf(nameof(options.Warmup), options.Warmup);
        if (!Enum.IsDefined(options.Checksums))
            yield return NoneOf(nameof(options.Checksums), options.Checksums);
        if (options.CodecOptions == null)
            yield return "BigPileOptions.CodecOptions is null; leave it as it is for the defaults.";
    }

    private static IEnumerable<string> TableFailures(List<TableRegistration> tables)
    {
        foreach (IGrouping<string, TableRegistration> group in tables.GroupBy(static table => table.Options.Name, StringComparer.Ordinal))
        {
            if (group.Select(static table => (table.KeyType, table.Options)).Distinct().Count() > 1)
                yield return $"The table '{group.Key}' is added with different keys or options; give each table a name of its own.";
            foreach (string failure in group.Select(static table => FailureOf(table.Options)).OfType<string>())
                yield return failure;
        }
    }

    /// <summary>What is wrong with a table's options; <see langword="null"/>: nothing.</summary>
    internal static string? FailureOf(TableOptions options)
    {
        if (options.Name is "" or TableOptions.AnyName)
            return $"TableOptions.Name is '{options.Name}'; a table that is added needs a name of its own.";
        try
        {
            options.Validate();
            return null;
        }
        catch (ArgumentException e)
        {
            return e.Message;
        }
    }
}
