using System;
using BigPile;

try
{
    Pile.Open(args[0]).Dispose();
    Console.WriteLine("opened");
    return 0;
}
catch (PileStorageException e)
{
    Console.WriteLine(e.Message);
    return 3;
}
