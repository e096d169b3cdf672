using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.IO;
using BigPile.Files;

namespace BigPile.Perf.Sequences;

/// <summary>Writes records of one length to a file, and reads them back.</summary>
/// <typeparam name="TKind">The kind of the file.</typeparam>
internal sealed class FileSequence<TKind>(SequenceOptions options, string path) : ISequence
    where TKind : struct, IFileKind
{
    private readonly BytePattern _pattern = new(options.SizeBytes);
    private readonly PaddedBuffer[] _buffers = PaddedBuffer.Make(options.Threads, options.SizeBytes);
    private IBlockFile? _file;

    public bool CanRemove => false;

    public void Open(SequencePhase phase)
    {
        bool isNew = phase == SequencePhase.Set;
        var fileOptions = new BlockFileOptions { ReadOnly = !isNew, Mode = isNew ? FileMode.Create : FileMode.Open };
        _file = BlockFile.Open(TKind.Kind, path, fileOptions);
    }

    public void Set(Worker worker, int start, int end)
    {
        IBlockFile file = _file!;
        SequenceOrder offsets = new(options, worker, start, options.SizeBytes);
        for (int i = start; i < end; i++)
        {
            long offset = offsets.Next();
            file.WriteAt(offset, _pattern.At(offset));
        }
    }

    public void Get(Worker worker, int start, int end)
    {
        IBlockFile file = _file!;
        Span<byte> buffer = _buffers[worker.Index].Bytes;
        SequenceOrder offsets = new(options, worker, start, options.SizeBytes);
        for (int i = start; i < end; i++)
        {
            long offset = offsets.Next();
            file.ReadAt(offset, buffer);
            if (!_pattern.At(offset).SequenceEqual(buffer))
                ThrowChanged(offset);
        }
    }

    public void Remove(Worker worker, int start, int end) => throw new NotSupportedException("Records of a file can't be removed.");

    public void Synchronize()
    {
        // Written bytes are the system's already; comparable benchmarks do not sync either.
    }

    public void Check(SequencePhase phase)
    {
        long mostBytes = (long)options.Count * options.SizeBytes;
        long fileBytes = _file!.Size;
        if (fileBytes > mostBytes || !options.IsRandom && fileBytes != mostBytes)
        {
            throw new LoadException(string.Create(
                CultureInfo.InvariantCulture,
                $"The {BlockFile.NameOf(TKind.Kind)} file has {fileBytes:N0} bytes, and {mostBytes:N0} are right. The file is at fault."));
        }
    }

    public void Close() => _file!.Close();

    public void Dispose() => _file?.Dispose();

    [DoesNotReturn]
    private static void ThrowChanged(long offset) => throw new LoadException(string.Create(
        CultureInfo.InvariantCulture,
        $"The record at offset {offset:N0} of the {BlockFile.NameOf(TKind.Kind)} file came back changed. The file is at fault."));
}
