namespace BigPile.Http.Protocol;

/// <summary>Cuts texts that may hold what a client sent, so that no answer repeats megabytes.</summary>
internal static class ShortText
{
    /// <summary>A text, cut off behind so many characters.</summary>
    internal static string Of(string text, int maxLength)
    {
        if (text.Length <= maxLength)
            return text;
        int cut = char.IsHighSurrogate(text[maxLength - 1]) ? maxLength - 1 : maxLength; // not inside a character
        return text[..cut] + "…";
    }
}
