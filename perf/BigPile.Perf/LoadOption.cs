using System;
using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Linq;
using System.Text.Json;

namespace BigPile.Perf;

/// <summary>Makes the options of commands, and parses them. Errors name the option, the limit and the remedy.</summary>
internal static class LoadOption
{
    internal static Option<int> Number(string name, string description, int otherwise, int max, int min = 1) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => ParseNumber(result, name, max, min),
        HelpName = "N",
    };

    /// <summary>A number that may be left out.</summary>
    internal static Option<int?> Number(string name, string description, int max) => new(name)
    {
        Description = description,
        CustomParser = result => ParseNumber(result, name, max, min: 1),
        HelpName = "N",
    };

    internal static Option<double> Share(string name, string description, double otherwise, double most) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => ParseShare(result, name, most),
        HelpName = "S",
    };

    internal static Option<int[]> Numbers(string name, string description, IReadOnlyList<int> otherwise, int max, int min = 1) => new(name)
    {
        Description = description + "; several numbers with commas between.",
        DefaultValueFactory = _ => [.. otherwise],
        CustomParser = result => ParseNumbers(result, name, max, min),
        HelpName = "N,N",
    };

    /// <summary>One of an enumeration's values.</summary>
    internal static Option<T> Name<T>(string name, string description, T otherwise)
        where T : struct, Enum => new(name)
        {
            Description = description,
            DefaultValueFactory = _ => otherwise,
            CustomParser = result => ParseName<T>(result, name, TextOf(result)),
            HelpName = string.Join('|', Enum.GetValues<T>().Select(NameOf)),
        };

    /// <summary>Several of them; all by default.</summary>
    internal static Option<T[]> Names<T>(string name, string description)
        where T : struct, Enum => new(name)
        {
            Description = description + ", with commas between; all of them by default.",
            DefaultValueFactory = _ => Enum.GetValues<T>(),
            CustomParser = result => [.. TextOf(result).Split(',').Select(text => ParseName<T>(result, name, text))],
            HelpName = string.Join('|', Enum.GetValues<T>().Select(NameOf)),
        };

    internal static Option<string?> Path(string name, string description) => new(name) { Description = description, HelpName = "D" };

    internal static Option<StoreKind> Store(StoreKind otherwise = StoreKind.Native) =>
        Name("--store", "Where the pile keeps its segments. A mapped pile is temporary.", otherwise);

    internal static Option<EntryShape> Entries() => Name("--entries", "How the table's entries are put.", EntryShape.Plain);

    /// <summary>Where a mapped pile lies.</summary>
    internal static Option<string?> Directory() => Path(
        "--dir", "Mapped: an empty or missing directory for the pile's files, which are removed at the end. Temporary by default.");

    internal static Option<int> Count(string description, int otherwise, int most) => Number("--count", description, otherwise, most);

    internal static Option<int> Threads(string description, int otherwise) =>
        Number("--threads", description, otherwise, InsertOptions.MaxThreads);

    internal static Option<int> Mebibytes(int otherwise, int most) => Number("--mebibytes", "How much the pile holds.", otherwise, most);

    internal static Option<int> Seconds(string description, int otherwise) =>
        Number("--seconds", description, otherwise, PauseOptions.MaxSeconds);

    internal static Option<int> ValueBytes(int otherwise) => Number(
        "--value-bytes", "The bytes of each value, from 8.", otherwise, CacheOptions.MaxValueBytes, CacheOptions.MinValueBytes);

    /// <summary>Refuses a directory for a pile that has no files.</summary>
    internal static void RequireMapped(StoreKind store, string? directory)
    {
        if (directory != null && store != StoreKind.Mapped)
            throw new LoadException("--dir is for a mapped pile only. Leave it out, or use --store mapped.");
    }

    /// <summary>The name of an enumeration's value on the command line, and in a report: <c>one-expiring</c>.</summary>
    internal static string NameOf<T>(T value)
        where T : struct, Enum => JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString());

    /// <summary>The option's text, or none.</summary>
    internal static string TextOf(ArgumentResult result) => result.Tokens.Count == 0 ? "" : result.Tokens[0].Value;

    private static int ParseNumber(ArgumentResult result, string option, int max, int min)
    {
        string text = TextOf(result);
        bool isNumber = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        if (!isNumber || number < min || number > max)
            result.AddError($"{option} '{text}' is out of range. It must be a whole number from {min} to {max}.");
        return number;
    }

    private static int[] ParseNumbers(ArgumentResult result, string option, int max, int min)
    {
        string text = TextOf(result);
        string[] parts = text.Split(',');
        var numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isNumber = int.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out numbers[i]);
            if (isNumber && numbers[i] >= min && numbers[i] <= max)
                continue;
            result.AddError($"{option} '{text}' is out of range. It must be whole numbers from {min} to {max}, with commas between.");
            break;
        }
        return numbers;
    }

    private static double ParseShare(ArgumentResult result, string option, double most)
    {
        string text = TextOf(result);
        bool isNumber = double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number);
        if (!isNumber || !(number >= 0 && number <= most)) // false for NaN
        {
            result.AddError(string.Create(
                CultureInfo.InvariantCulture, $"{option} '{text}' is out of range. It must be a number from 0 to {most}."));
        }
        return number;
    }

    private static T ParseName<T>(ArgumentResult result, string option, string text)
        where T : struct, Enum
    {
        T[] values = Enum.GetValues<T>();
        int index = Array.FindIndex(values, value => NameOf(value) == text);
        if (index < 0)
        {
            string known = string.Join(", ", values.SkipLast(1).Select(NameOf));
            result.AddError($"{option} '{text}' is unknown. Use {known} or {NameOf(values[^1])}.");
        }
        return values[Math.Max(0, index)];
    }
}
