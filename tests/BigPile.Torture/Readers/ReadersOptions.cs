using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

namespace BigPile.Torture.Readers;

/// <summary>What a run of readers beside a writer is to do.</summary>
internal sealed class ReadersOptions
{
    internal const string Verb = "readers";

    private const string Usage =
        "Usage: BigPile.Torture readers --reads N [--readers R] [--writers T] [--kills K] [--reader-kills K] [--shared on|off] [--seed S] "
        + "[--control sequence-not-compared|header-not-loaded-again] [--directory D]";

    private static readonly string[] Names =
    [
        "--reads", "--readers", "--writers", "--kills", "--reader-kills", "--shared", "--seed", "--control", "--directory",
    ];

    private static readonly string[] Controls = ["sequence-not-compared", "header-not-loaded-again"];

    /// <summary>The reads of all readers together.</summary>
    internal required long Reads { get; init; }

    /// <summary>The processes that read.</summary>
    internal required int Readers { get; init; }

    /// <summary>The threads of the process that writes.</summary>
    internal required int Writers { get; init; }

    /// <summary>How often the writing process is killed and started anew.</summary>
    internal required int Kills { get; init; }

    /// <summary>How often a process that reads is killed and started anew.</summary>
    internal required int ReaderKills { get; init; }

    /// <summary>Whether the pile is a shared one.</summary>
    internal required bool IsShared { get; init; }

    internal required ulong Seed { get; init; }

    /// <summary>The check that the readers leave out; empty for none.</summary>
    internal required string Control { get; init; }

    internal required string? Directory { get; init; }

    /// <exception cref="BadArgumentException">An argument is unknown, missing or out of its range.</exception>
    internal static ReadersOptions Parse(ReadOnlySpan<string> args)
    {
        var values = new Dictionary<string, string>();
        for (int i = 0; i < args.Length; i += 2)
        {
            if (!Names.Contains(args[i]) || i + 1 == args.Length || !values.TryAdd(args[i], args[i + 1]))
                throw Bad($"'{args[i]}' is unknown, given twice, or has no value.");
        }
        var options = new ReadersOptions
        {
            Reads = NumberOf(values, "--reads", 1, 1_000_000_000_000, null),
            Readers = (int)NumberOf(values, "--readers", 1, Board.MaxReaders, 2),
            Writers = (int)NumberOf(values, "--writers", 1, 16, 1),
            Kills = (int)NumberOf(values, "--kills", 0, 100_000, 0),
            ReaderKills = (int)NumberOf(values, "--reader-kills", 0, 100_000, 0),
            IsShared = values.GetValueOrDefault("--shared") == "on",
            Seed = (ulong)NumberOf(values, "--seed", 0, long.MaxValue, Environment.TickCount64),
            Control = values.GetValueOrDefault("--control", ""),
            Directory = values.GetValueOrDefault("--directory"),
        };
        if (options.Control.Length != 0 && !Controls.Contains(options.Control))
            throw Bad($"--control is '{options.Control}'; it must be {string.Join(", ", Controls)}.");
        if (values.GetValueOrDefault("--shared", "off") is not ("on" or "off") and var shared)
            throw Bad($"--shared is '{shared}'; it must be on or off.");
        if (options.Directory is { } path && System.IO.Directory.Exists(path) && System.IO.Directory.EnumerateFileSystemEntries(path).Any())
            throw Bad($"The directory '{Path.GetFullPath(path)}' is not empty. Name an empty one, or one that does not exist.");
        return options;
    }

    private static long NumberOf(Dictionary<string, string> values, string name, long min, long max, long? otherwise)
    {
        if (!values.TryGetValue(name, out string? text))
            return otherwise ?? throw Bad($"{name} is missing.");
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) && number >= min && number <= max
            ? number
            : throw Bad($"{name} is '{text}'; it must be a number from {min} to {max}.");
    }

    private static BadArgumentException Bad(string what) => new(what + Environment.NewLine + Usage);
}
