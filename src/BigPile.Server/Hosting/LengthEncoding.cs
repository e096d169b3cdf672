using System.Text;

namespace BigPile.Server.Hosting;

/// <summary>Decodes the header <c>Content-Length</c> so that the server accepts only digits (RFC 9110, 8.6).</summary>
/// <remarks>
/// Kestrel accepts <c>+1</c>. A proxy in front that does not would see the request end elsewhere (request smuggling). Thread safety: all
/// members may be called concurrently.
/// </remarks>
internal sealed class LengthEncoding : Encoding
{
    private const string Length = "Content-Length";
    private const char NoDigit = 'x';

    private static readonly LengthEncoding Digits = new();

    /// <summary>The encoding of a header's value; <see langword="null"/>: the server's default.</summary>
    internal static Encoding? Select(string headerName) => headerName == Length ? Digits : null;

    /// <inheritdoc/>
    public override int GetChars(byte[] bytes, int byteIndex, int byteCount, char[] chars, int charIndex)
    {
        for (int i = 0; i < byteCount; i++)
        {
            char one = (char)bytes[byteIndex + i];
            chars[charIndex + i] = char.IsAsciiDigit(one) ? one : NoDigit;
        }
        return byteCount;
    }

    /// <inheritdoc/>
    public override int GetBytes(char[] chars, int charIndex, int charCount, byte[] bytes, int byteIndex) =>
        ASCII.GetBytes(chars, charIndex, charCount, bytes, byteIndex);

    /// <inheritdoc/>
    public override int GetByteCount(char[] chars, int index, int count) => count;

    /// <inheritdoc/>
    public override int GetCharCount(byte[] bytes, int index, int count) => count;

    /// <inheritdoc/>
    public override int GetMaxByteCount(int charCount) => charCount;

    /// <inheritdoc/>
    public override int GetMaxCharCount(int byteCount) => byteCount;
}
