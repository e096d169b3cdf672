using System;
using System.IO;
using System.IO.Compression;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Server.Loading;

/// <summary>A file to load, plain or gzip, as its first two bytes say. It may be a pipe.</summary>
internal sealed class SourceFile : IAsyncDisposable
{
    private readonly FileStream _file;

    private SourceFile(FileStream file, Stream content)
    {
        _file = file;
        Content = content;
    }

    /// <summary>The decompressed content.</summary>
    internal Stream Content { get; }

    /// <summary>The fraction of the file that was read, from 0 to 1; 0 if the length is unknown.</summary>
    internal double Progress => _file.CanSeek && _file.Length != 0 ? (double)_file.Position / _file.Length : 0;

    internal static async Task<SourceFile> OpenAsync(string path, CancellationToken cancellationToken)
    {
        var options = new FileStreamOptions { Options = FileOptions.SequentialScan, BufferSize = 0 };
        var file = new FileStream(path, options);
        try
        {
            var reader = PipeReader.Create(file, new StreamPipeReaderOptions(bufferSize: 64 * 1024));
            ReadResult start = await reader.ReadAtLeastAsync(2, cancellationToken).ConfigureAwait(false);
            bool isGzip = IsGzip(start);
            reader.AdvanceTo(start.Buffer.Start); // only peek: consume nothing
            Stream content = reader.AsStream();
            return new SourceFile(file, isGzip ? new GZipStream(content, CompressionMode.Decompress) : content);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Content.DisposeAsync().ConfigureAwait(false);
        await _file.DisposeAsync().ConfigureAwait(false);
    }

    private static bool IsGzip(ReadResult start)
    {
        ReadOnlySpan<byte> first = start.Buffer.FirstSpan;
        return first.Length >= 2 && first[0] == 0x1F && first[1] == 0x8B;
    }
}
