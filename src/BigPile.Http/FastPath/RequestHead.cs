using System;
using System.Buffers;
using System.Text;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http;

namespace BigPile.Http.FastPath;

/// <summary>One request's head, parsed as far as the fast path needs it.</summary>
/// <remarks>
/// An allow-list: a request is fast only if everything in its head is known to mean the same here and in the full stack; any other head
/// goes to the stack. The parser is Kestrel's own <see cref="HttpParser{TRequestHandler}"/>, of a namespace named Internal: an upgrade of
/// Kestrel may change it. Thread safety: none; each thread has its own.
/// </remarks>
internal sealed partial class RequestHead
{
    private const int MaxHostBytes = 255;
    private const int MaxTagListBytes = 64;
    private const int MaxAcceptBytes = 256;
    private const int MaxAuthorizationBytes = 1024;
    private const int MaxLengthDigits = 18;

    // RFC 3986 pchar without the percent sign, plus the slash.
    private static readonly SearchValues<byte> KeyBytes =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"u8);

    private static readonly SearchValues<byte> NameBytes =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"u8);

    private static readonly SearchValues<byte> HostBytes =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"u8);

    private readonly HttpParser<Handler> _parser = new();
    private readonly byte[] _key = new byte[EntryKey.MaxBytes];
    private readonly char[] _table = new char[TableName.MaxLength];
    private readonly byte[] _tags = new byte[MaxTagListBytes];
    private readonly byte[] _accept = new byte[MaxAcceptBytes];
    private readonly byte[] _authorization = new byte[MaxAuthorizationBytes];
    /// <summary>The last host that passed the checks, so that an equal one is not checked again.</summary>
    private readonly byte[] _lastHost = new byte[MaxHostBytes];
    private byte[][] _ignored = [];
    private ClientRules? _clients;
    private int _maxHeaders;
    private int _keyBytes;
    private int _tableLength;
    private int _tagsBytes;
    private int _acceptBytes;
    private int _authorizationBytes;
    private int _lastHostBytes;
    private int _headerCount;
    private int _hostCount;
    private int _connectionCount;
    private int _lengthCount;

    /// <summary>Whether the fast path may answer the request.</summary>
    internal bool IsFast { get; private set; }

    /// <summary>Whether the request's end is known, so that the next request can be found.</summary>
    internal bool IsFramed { get; private set; }

    internal bool IsHead { get; private set; }

    /// <summary>Whether the client asked to close the connection.</summary>
    internal bool WantsClose { get; private set; }

    /// <summary>The length of the body, in bytes.</summary>
    internal long ContentLength { get; private set; }

    internal ReadOnlySpan<byte> Key => _key.AsSpan(0, _keyBytes);

    internal ReadOnlySpan<char> Table => _table.AsSpan(0, _tableLength);

    internal ReadOnlySpan<byte> Tags => _tags.AsSpan(0, _tagsBytes);

    internal ReadOnlySpan<byte> Accept => _accept.AsSpan(0, _acceptBytes);

    internal ReadOnlySpan<byte> Authorization => _authorization.AsSpan(0, _authorizationBytes);

    /// <summary>Parses a complete head.</summary>
    /// <param name="head">The bytes up to the empty line, inclusive.</param>
    /// <param name="maxHeaders">The maximum number of header lines.</param>
    /// <param name="ignored">Lower-case names of further headers that don't affect a read.</param>
    /// <param name="clients">The rules on hosts; <see langword="null"/>: all hosts are served.</param>
    internal void Read(ReadOnlyMemory<byte> head, int maxHeaders, byte[][] ignored, ClientRules? clients = null)
    {
        if (_clients != clients)
            _lastHostBytes = 0; // another endpoint on this thread may have accepted it
        _clients = clients;
        Reset(maxHeaders, ignored);
        var handler = new Handler(this);
        var reader = new SequenceReader<byte>(new ReadOnlySequence<byte>(head));
        try
        {
            // If Kestrel's parser sees another end than the empty line that was found, the stack must judge the head.
            if (_parser.ParseRequestLine(handler, ref reader) && _parser.ParseHeaders(handler, ref reader) && reader.End)
                Complete();
            else
                Refuse();
        }
        catch (Microsoft.AspNetCore.Http.BadHttpRequestException)
        {
            Refuse();
        }
    }

    private void Reset(int maxHeaders, byte[][] ignored)
    {
        _maxHeaders = maxHeaders;
        _ignored = ignored;
        _tagsBytes = _acceptBytes = _authorizationBytes = 0;
        _headerCount = _hostCount = _connectionCount = _lengthCount = 0;
        IsFast = IsFramed = true;
        WantsClose = false;
        ContentLength = 0;
    }

    private void Complete()
    {
        if (_hostCount != 1)
            Refuse();
    }

    // Neither answered nor framed here: the connection stays with the stack.
    private void Refuse() => IsFast = IsFramed = false;

    private void OnStartLine(HttpVersionAndMethod line, TargetOffsetPathLength path, ReadOnlySpan<byte> startLine)
    {
        if (line.Version != HttpVersion.Http11 || line.Method == HttpMethod.Connect)
        {
            Refuse();
            return;
        }
        IsHead = line.Method == HttpMethod.Head;
        ReadOnlySpan<byte> target = startLine[path.Offset..];
        IsFast = (IsHead || line.Method == HttpMethod.Get) && !path.IsEncoded && target.Length == path.Length && TryReadTarget(target);
    }

    private bool TryReadTarget(ReadOnlySpan<byte> target)
    {
        if (!target.StartsWith("/v1/tables/"u8))
            return false;
        target = target["/v1/tables/"u8.Length..];
        int slash = target.IndexOf((byte)'/');
        if (slash is < 1 or > TableName.MaxLength || !target[slash..].StartsWith("/entries/"u8))
            return false;
        ReadOnlySpan<byte> name = target[..slash];
        ReadOnlySpan<byte> key = target[(slash + "/entries/"u8.Length)..];
        if (name.ContainsAnyExcept(NameBytes) || name[0] == (byte)'.')
            return false;
        // A path segment that begins with a dot may be a dot segment, which the stack removes.
        if (key.Length is 0 or > EntryKey.MaxBytes || key.ContainsAnyExcept(KeyBytes) || key[0] == (byte)'.' || key.IndexOf("/."u8) >= 0)
            return false;
        _tableLength = Encoding.ASCII.GetChars(name, _table);
        _keyBytes = key.Length;
        key.CopyTo(_key);
        return true;
    }

    /// <summary>Passes the parser's callbacks to the head. A struct, so that the JIT devirtualizes the calls.</summary>
    private readonly struct Handler(RequestHead head) : IHttpRequestLineHandler, IHttpHeadersHandler
    {
        public void OnStartLine(HttpVersionAndMethod versionAndMethod, TargetOffsetPathLength targetPath, Span<byte> startLine) =>
            head.OnStartLine(versionAndMethod, targetPath, startLine);

        public void OnHeader(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => head.OnHeader(name, value);

        public void OnHeadersComplete(bool endStream)
        {
        }

        public void OnStaticIndexedHeader(int index) => head.Refuse();

        public void OnStaticIndexedHeader(int index, ReadOnlySpan<byte> value) => head.Refuse();
    }
}
