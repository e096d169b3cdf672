using System;
using System.Text;

namespace BigPile.Http.FastPath;

/// <summary>Parses the header fields.</summary>
internal sealed partial class RequestHead
{
    private void OnHeader(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (++_headerCount > _maxHeaders)
        {
            Refuse();
            return;
        }
        if (value.ContainsAnyExceptInRange((byte)' ', (byte)'~'))
            IsFast = false; // the stack decodes such values, and may refuse this one
        if (!TryTakeKnown(name, value))
            IsFast = IsFast && IsIgnored(name);
    }

    private bool TryTakeKnown(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        switch (name.Length)
        {
            case 3:
                return Is(name, "dnt"u8);
            case 4 when Is(name, "host"u8):
                TakeHost(value);
                return true;
            case 6 when Is(name, "expect"u8):
                Refuse();
                return true;
            case 6:
                return Is(name, "accept"u8) || Is(name, "cookie"u8) || Is(name, "pragma"u8);
            case 7 when Is(name, "upgrade"u8):
                Refuse();
                return true;
            case 7:
                return Is(name, "referer"u8) || Is(name, "baggage"u8);
            case 10 when Is(name, "connection"u8):
                TakeConnection(value);
                return true;
            case 10:
                return Is(name, "user-agent"u8) || Is(name, "tracestate"u8) || Is(name, "request-id"u8);
            case 11:
                return Is(name, "traceparent"u8);
            case 13 when Is(name, "if-none-match"u8):
                Take(value, _tags, ref _tagsBytes);
                return true;
            case 13 when Is(name, "authorization"u8):
                Take(value, _authorization, ref _authorizationBytes);
                return true;
            case 13:
                return Is(name, "cache-control"u8);
            case 14 when Is(name, "content-length"u8):
                TakeLength(value);
                return true;
            case 15 when Is(name, "accept-encoding"u8):
                Take(value, _accept, ref _acceptBytes);
                return true;
            case 15:
                return Is(name, "accept-language"u8);
            case 17 when Is(name, "transfer-encoding"u8):
                Refuse();
                return true;
            default:
                return false;
        }
    }

    private static bool Is(ReadOnlySpan<byte> name, ReadOnlySpan<byte> known) => Ascii.EqualsIgnoreCase(name, known);

    private bool IsIgnored(ReadOnlySpan<byte> name)
    {
        foreach (byte[] known in _ignored)
        {
            if (Is(name, known))
                return true;
        }
        return false;
    }

    // A header that is repeated, empty or too long is left to the stack.
    private void Take(ReadOnlySpan<byte> value, byte[] buffer, ref int lengthBytes)
    {
        if (lengthBytes != 0 || value.IsEmpty || value.Length > buffer.Length)
        {
            IsFast = false;
            return;
        }
        lengthBytes = value.Length;
        value.CopyTo(buffer);
    }

    private void TakeHost(ReadOnlySpan<byte> value)
    {
        _hostCount++;
        if (value.SequenceEqual(_lastHost.AsSpan(0, _lastHostBytes)) && _lastHostBytes != 0)
            return;
        if (value.Length > MaxHostBytes || !IsHost(value) || _clients?.AllowsHost(value) == false)
        {
            IsFast = false;
            return;
        }
        _lastHostBytes = value.Length;
        value.CopyTo(_lastHost);
    }

    private static bool IsHost(ReadOnlySpan<byte> value)
    {
        int colon = value.IndexOf((byte)':');
        if (colon >= 0)
        {
            ReadOnlySpan<byte> port = value[(colon + 1)..];
            if (port.Length is 0 or > 5 || port.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
                return false;
            value = value[..colon];
        }
        return !value.IsEmpty && !value.ContainsAnyExcept(HostBytes);
    }

    private void TakeConnection(ReadOnlySpan<byte> value)
    {
        bool isClose = Is(value, "close"u8);
        if (++_connectionCount > 1 || (!isClose && !Is(value, "keep-alive"u8)))
            Refuse();
        WantsClose = isClose;
    }

    private void TakeLength(ReadOnlySpan<byte> value)
    {
        IsFast = false;
        if (++_lengthCount > 1 || value.Length is 0 or > MaxLengthDigits || value.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
        {
            Refuse();
            return;
        }
        ContentLength = long.Parse(value, System.Globalization.CultureInfo.InvariantCulture);
    }
}
