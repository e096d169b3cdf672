using System.CommandLine.Parsing;
using System.Globalization;
using BigPile.Memory;

namespace BigPile.Perf;

/// <summary>Reads the values of options. What is wrong is said with the option, the limit and the remedy.</summary>
internal static class OptionParsers
{
    internal static StoreKind? ParseStore(ArgumentResult result)
    {
        string text = TextOf(result);
        switch (text)
        {
            case "managed":
                return StoreKind.Managed;
            case "native":
                return StoreKind.Native;
            case "mapped":
                return StoreKind.Mapped;
            default:
                result.AddError($"--store '{text}' is unknown. Use managed, native or mapped.");
                return null;
        }
    }

    internal static PayloadSpec? ParsePayload(ArgumentResult result)
    {
        if (!PayloadSpec.TryParse(TextOf(result), out PayloadSpec? spec, out string? error))
            result.AddError(error);
        return spec;
    }

    internal static int ParseNumber(ArgumentResult result, string option, int max)
    {
        string text = TextOf(result);
        bool isNumber = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        if (!isNumber || number < 1 || number > max)
            result.AddError($"{option} '{text}' is out of range. It must be a whole number from 1 to {max}.");
        return number;
    }

    private static string TextOf(ArgumentResult result) => result.Tokens.Count == 0 ? "" : result.Tokens[0].Value;
}
