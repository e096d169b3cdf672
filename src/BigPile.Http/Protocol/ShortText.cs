namespace BigPile.Http.Protocol;

/// <summary>Truncates texts that may contain client input, so that no answer repeats megabytes.</summary>
internal static class ShortText
{
    /// <summary>A text, truncated to a length.</summary>
    internal static string Of(string text, int maxLength)
    {
        if (text.Length <= maxLength)
            return text;
        int cut = char.IsHighSurrogate(text[maxLength - 1]) ? maxLength - 1 : maxLength; // not inside a character
        return text[..cut] + "…";
    }
}
