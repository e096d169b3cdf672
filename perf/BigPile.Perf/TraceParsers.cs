using System.CommandLine.Parsing;
using System.Globalization;
using System.Linq;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf;

/// <summary>Reads the values of the trace command's options.</summary>
internal static class TraceParsers
{
    private const double MinFraction = 0.000001;

    internal static TraceFormat? ParseFormat(ArgumentResult result)
    {
        string text = OptionParsers.TextOf(result);
        if (TraceFormats.TryParse(text, out TraceFormat format))
            return format;
        result.AddError($"--format '{text}' is unknown. Use one of {TraceFormats.All}.");
        return null;
    }

    /// <summary>Reads shares between commas.</summary>
    internal static double[] ParseFractions(ArgumentResult result)
    {
        string text = OptionParsers.TextOf(result);
        string[] parts = text.Split(',');
        var shares = new double[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isNumber = double.TryParse(parts[i], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out shares[i]);
            if (isNumber && shares[i] is >= MinFraction and <= 1)
                continue;
            result.AddError(string.Create(
                CultureInfo.InvariantCulture,
                $"--capacity-fraction '{parts[i]}' is out of range. It must be a number from {MinFraction:0.000000} to 1."));
            break;
        }
        return shares;
    }

    /// <summary>Reads policies between commas, or <c>all</c>, or <c>none</c>.</summary>
    internal static PolicyKind[] ParsePolicies(ArgumentResult result)
    {
        string text = OptionParsers.TextOf(result);
        if (text == "none")
            return [];
        if (text == "all")
            return [.. PolicyKinds.All];
        string[] parts = [.. text.Split(',').Distinct()];
        var kinds = new PolicyKind[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            if (!PolicyKinds.TryParse(parts[i], out kinds[i]))
            {
                result.AddError(
                    $"--policies '{parts[i]}' is unknown. "
                    + $"Use some of {string.Join(", ", PolicyKinds.All.Select(PolicyKinds.NameOf))}, or all, or none.");
            }
        }
        return kinds;
    }
}
