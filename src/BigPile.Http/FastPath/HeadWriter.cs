using System;
using System.Globalization;
using BigPile.Http.Entries;
using BigPile.Http.Protocol;

namespace BigPile.Http.FastPath;

/// <summary>Writes a response head of the fast path into a buffer.</summary>
internal ref struct HeadWriter(Span<byte> buffer) : IAnswerWriter
{
    private readonly Span<byte> _buffer = buffer;

    internal int LengthBytes { get; private set; }

    internal readonly ReadOnlySpan<byte> Written => _buffer[..LengthBytes];

    internal void Add(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_buffer[LengthBytes..]);
        LengthBytes += bytes.Length;
    }

    internal void Add(long number)
    {
        number.TryFormat(_buffer[LengthBytes..], out int written, default, CultureInfo.InvariantCulture);
        LengthBytes += written;
    }

    public void TakesRanges() => Add("Accept-Ranges: bytes\r\n"u8);

    public void Age(long seconds)
    {
        Add("Age: "u8);
        Add(seconds);
        Add("\r\n"u8);
    }

    public void ContentEncoding(ContentCoding coding)
    {
        Add("Content-Encoding: "u8);
        Add(ContentCodings.Utf8NameOf(coding));
        Add("\r\n"u8);
    }

    public void TimeToLive(long seconds)
    {
        Add("BigPile-Ttl: "u8);
        Add(seconds);
        Add("\r\n"u8);
    }

    public void EntityTag(ulong version, bool isDecoded)
    {
        Add("ETag: "u8);
        LengthBytes += Protocol.EntityTag.Format(version, isDecoded, _buffer[LengthBytes..]);
        Add("\r\n"u8);
    }

    public void LastModified(DateTimeOffset putAt)
    {
        Add("Last-Modified: "u8);
        putAt.TryFormat(_buffer[LengthBytes..], out int written, "R", CultureInfo.InvariantCulture);
        LengthBytes += written;
        Add("\r\n"u8);
    }

    public void VariesByCoding() => Add("Vary: Accept-Encoding\r\n"u8);

    public void KeptByClient() => Add("Cache-Control: private, no-cache\r\n"u8);

    public void KeptFor(bool isPublic, long seconds)
    {
        Add(isPublic ? "Cache-Control: public, max-age="u8 : "Cache-Control: private, max-age="u8);
        Add(seconds);
        Add("\r\n"u8);
    }
}
