using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Files.Tests;

/// <summary>A mapped file that moves at each growth, under readers of long stretches.</summary>
internal static class GuardRun
{
    private const int StretchBytes = 256 << 10;
    private const int Growths = 300;

    internal static void Grow(BlockFileKind kind, string path, bool isGuarded)
    {
        var options = new BlockFileOptions { AddressBytes = 0, GrowthFactor = 1, InitialSize = 0, WaitsForReaders = isGuarded };
        using IBlockFile file = BlockFile.Open(kind, path, options);
        file.WriteAt(0, Filled());
        bool isOver = false;
        Task reader = SideBySide.Start(() =>
        {
            var bytes = new byte[StretchBytes];
            while (!Volatile.Read(ref isOver))
            {
                file.ReadAt(0, bytes);
                if (bytes.AsSpan().ContainsAnyExcept((byte)7))
                    throw new InvalidOperationException("The reader has bytes of something else.");
            }
        });
        for (int i = 0; i < Growths && !reader.IsCompleted; i++)
            file.Expand(64 << 10);
        Volatile.Write(ref isOver, true);
        reader.Wait();
    }

    private static byte[] Filled()
    {
        var bytes = new byte[StretchBytes];
        bytes.AsSpan().Fill(7);
        return bytes;
    }
}
