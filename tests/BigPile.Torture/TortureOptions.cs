using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using BigPile.Files;

namespace BigPile.Torture;

/// <summary>What a run is to do.</summary>
internal sealed class TortureOptions
{
    internal const string PileTarget = "pile";
    internal const string TableTarget = "table";
    internal const string HashTarget = "hash";
    internal const string OwnCodec = "bigpile";
    internal const string LibraryCodec = "messagepack";

    private const int MaxThreads = 16;
    private const int MaxKills = 1_000_000;

    private const string Usage =
        "Usage: BigPile.Torture --target pile|table|hash --kills N [--seed S] [--control NAME] [--directory D] [--threads T] "
        + "[--pauses on|off] [--window NAME] [--other-boot on|off] [--shared on|off] [--file KIND] "
        + "[--codec bigpile|messagepack]";

    private static readonly string[] Names =
    [
        "--target", "--kills", "--seed", "--control", "--directory", "--threads", "--pauses", "--window", "--other-boot",
        "--shared", "--file", "--codec",
    ];

    private static readonly string[] OnOrOff = ["on", "off"];

    internal required string Target { get; init; }

    internal required int Kills { get; init; }

    internal required ulong Seed { get; init; }

    internal required string ControlName { get; init; }

    /// <summary>An empty directory, or <see langword="null"/> for one in the temporary directory.</summary>
    internal required string? Directory { get; init; }

    internal required int Threads { get; init; }

    internal required bool Pauses { get; init; }

    /// <summary>The window that every child favours, if not one by the seed.</summary>
    internal required string Point { get; init; }

    /// <summary>Whether every third kill is followed by another start of the machine, as far as the pile can tell.</summary>
    internal required bool HasOtherBoots { get; init; }

    /// <summary>Whether the pile is a shared one.</summary>
    internal required bool IsShared { get; init; }

    /// <summary>The kind of file that a hash database has; empty: another one in each process.</summary>
    internal required string FileKind { get; init; }

    /// <summary>What stores objects.</summary>
    internal required string Codec { get; init; }

    /// <exception cref="BadArgumentException">An argument is unknown, missing or out of its range.</exception>
    internal static TortureOptions Parse(string[] args)
    {
        Dictionary<string, string> values = Split(args);
        var options = new TortureOptions
        {
            Target = TargetOf(values.GetValueOrDefault("--target") ?? throw Bad("--target is missing.")),
            Kills = NumberOf(values, "--kills", 1, MaxKills, null),
            Seed = SeedOf(values.GetValueOrDefault("--seed")),
            ControlName = OneOf(values, "--control", "", Control.Names),
            Directory = values.GetValueOrDefault("--directory"),
            Threads = NumberOf(values, "--threads", 1, MaxThreads, 2),
            Pauses = OneOf(values, "--pauses", "on", OnOrOff) == "on",
            Point = OneOf(values, "--window", "", TargetCrashPoints.Of(values.GetValueOrDefault("--target"))),
            HasOtherBoots = OneOf(values, "--other-boot", "off", OnOrOff) == "on",
            IsShared = OneOf(values, "--shared", "off", OnOrOff) == "on",
            Codec = OneOf(values, "--codec", OwnCodec, [OwnCodec, LibraryCodec]),
            FileKind = OneOf(values, "--file", "", [.. BlockFile.Kinds.Select(BlockFile.NameOf)]),
        };
        if (options.FileKind.Length != 0 && options.Target != HashTarget)
            throw Bad($"--file is '{options.FileKind}'; only a hash database has kinds of files: use --target hash.");
        if (options.Codec != OwnCodec && options.Target == HashTarget)
            throw Bad($"--codec is '{options.Codec}'; a hash database stores bytes: use --target pile or table.");
        if (options.IsShared && (options.HasOtherBoots || options.Target == HashTarget))
            throw Bad("--shared is on; a shared pile does not outlive the machine's start, and a hash database is none.");
        if (options.Target == TableTarget && options.Threads % 2 != 0)
            throw Bad($"--threads is {options.Threads}; tables need an even number: one thread of a pair puts, the other removes.");
        if (options.Directory != null && !IsEmpty(options.Directory))
            throw Bad(
                $"The directory '{Path.GetFullPath(options.Directory)}' is not empty. Name an empty one, or one that does not exist.");
        return options;
    }

    private static bool IsEmpty(string directory) =>
        !System.IO.Directory.Exists(directory) || !System.IO.Directory.EnumerateFileSystemEntries(directory).Any();

    private static Dictionary<string, string> Split(string[] args)
    {
        var values = new Dictionary<string, string>();
        for (int i = 0; i < args.Length; i += 2)
        {
            if (!Names.Contains(args[i]))
                throw Bad($"'{args[i]}' is unknown.");
            if (i + 1 == args.Length)
                throw Bad($"{args[i]} has no value.");
            if (!values.TryAdd(args[i], args[i + 1]))
                throw Bad($"{args[i]} is given twice.");
        }
        return values;
    }

    private static string TargetOf(string target) => target switch
    {
        PileTarget or TableTarget or HashTarget => target,
        _ => throw Bad($"--target is '{target}'; it must be pile, table or hash."),
    };

    private static int NumberOf(Dictionary<string, string> values, string name, int min, int max, int? otherwise)
    {
        if (!values.TryGetValue(name, out string? text))
            return otherwise ?? throw Bad($"{name} is missing.");
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= min && number <= max
            ? number
            : throw Bad($"{name} is '{text}'; it must be a number from {min} to {max}.");
    }

    private static ulong SeedOf(string? text)
    {
        if (text == null)
            return (ulong)Environment.TickCount64;
        return ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong seed)
            ? seed
            : throw Bad($"--seed is '{text}'; it must be a number from 0 to {ulong.MaxValue}.");
    }

    private static string OneOf(Dictionary<string, string> values, string name, string otherwise, string[] allowed)
    {
        if (!values.TryGetValue(name, out string? value))
            return otherwise;
        return allowed.Contains(value) ? value : throw Bad($"{name} is '{value}'; it must be {string.Join(", ", allowed)}.");
    }

    private static BadArgumentException Bad(string what) => new(what + Environment.NewLine + Usage);
}
