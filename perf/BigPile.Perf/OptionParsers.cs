using System;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using BigPile.Caching;
using BigPile.Files;
using BigPile.Perf.Messages;

namespace BigPile.Perf;

/// <summary>Parses option values. Errors name the option, the limit and the remedy.</summary>
internal static class OptionParsers
{
    internal static StoreKind? ParseStore(ArgumentResult result) => ParseName<StoreKind>(result, "--store");

    internal static PayloadSpec? ParsePayload(ArgumentResult result)
    {
        if (!PayloadSpec.TryParse(TextOf(result), out PayloadSpec? spec, out string? error))
            result.AddError(error);
        return spec;
    }

    internal static int ParseNumber(ArgumentResult result, string option, int max, int min = 1)
    {
        string text = TextOf(result);
        bool isNumber = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        if (!isNumber || number < min || number > max)
            result.AddError($"{option} '{text}' is out of range. It must be a whole number from {min} to {max}.");
        return number;
    }

    internal static double ParseShare(ArgumentResult result, string option, double above, double most)
    {
        string text = TextOf(result);
        bool isNumber = double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number);
        if (!isNumber || !(number >= above && number <= most)) // false for NaN
        {
            result.AddError(string.Create(
                CultureInfo.InvariantCulture, $"{option} '{text}' is out of range. It must be a number from {above} to {most}."));
        }
        return number;
    }

    internal static CollisionMode? ParseMode(ArgumentResult result) => ParseName<CollisionMode>(result, "--mode");

    internal static KeyShape? ParseKeys(ArgumentResult result) => ParseName<KeyShape>(result, "--keys");

    internal static PauseHolder ParseHolder(ArgumentResult result) => ParseName<PauseHolder>(result, "--holder");

    internal static SequenceLayer? ParseLayer(ArgumentResult result) => ParseName<SequenceLayer>(result, "--layer");

    /// <summary>Reads the kind of a file; <see langword="null"/> for all of them.</summary>
    internal static BlockFileKind? ParseFile(ArgumentResult result)
    {
        string text = TextOf(result);
        if (text == "all")
            return null;
        if (!BlockFile.TryParseKind(text, out BlockFileKind kind))
            result.AddError($"--file '{text}' is unknown. Use {string.Join(", ", BlockFile.Kinds.Select(BlockFile.NameOf))} or all.");
        return kind;
    }

    /// <summary>Reads whole numbers between commas.</summary>
    internal static int[] ParseNumbers(ArgumentResult result, string option, int max, int min = 1)
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

    internal static PortsMode? ParsePortsMode(ArgumentResult result)
    {
        string text = TextOf(result);
        switch (text)
        {
            case "roundtrip":
                return PortsMode.RoundTrip;
            case "stream":
                return PortsMode.Stream;
            case "multicast":
                return PortsMode.Multicast;
            default:
                result.AddError($"--mode '{text}' is unknown. Use roundtrip, stream or multicast.");
                return null;
        }
    }

    /// <summary>Reads ways of messages, between commas.</summary>
    internal static MessageWay[] ParseWays(ArgumentResult result)
    {
        string[] parts = TextOf(result).Split(',');
        var ways = new MessageWay[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            if (!MessageWays.TryParse(parts[i], out ways[i]))
            {
                string known = string.Join(", ", MessageWays.All.Select(MessageWays.NameOf));
                result.AddError($"--way '{parts[i]}' is unknown. Use some of {known}.");
            }
        }
        return ways;
    }

    /// <summary>Reads the name of one of an enumeration's values.</summary>
    internal static T ParseName<T>(ArgumentResult result, string option)
        where T : struct, Enum => ParseName<T>(result, option, TextOf(result));

    /// <summary>Reads several of them, between commas.</summary>
    internal static T[] ParseNames<T>(ArgumentResult result, string option)
        where T : struct, Enum => [.. TextOf(result).Split(',').Select(text => ParseName<T>(result, option, text))];

    /// <summary>The name of an enumeration's value on the command line, and in a report: <c>one-expiring</c>.</summary>
    internal static string NameOf<T>(T value)
        where T : struct, Enum => JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString());

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

    /// <summary>The option's text, or none.</summary>
    internal static string TextOf(ArgumentResult result) => result.Tokens.Count == 0 ? "" : result.Tokens[0].Value;
}
