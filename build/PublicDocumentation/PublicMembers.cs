using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Xml.Linq;

namespace BigPile.PublicDocumentation;

/// <summary>What an assembly offers to others, by the ids that documentation has.</summary>
/// <remarks>Overloads are told apart by how many parameters they have, which is as far as any of ours are both public and not.</remarks>
internal sealed class PublicMembers
{
    private readonly MetadataReader _metadata;
    private readonly HashSet<string> _ids = [];

    internal PublicMembers(PEReader assembly)
    {
        _metadata = assembly.GetMetadataReader();
        foreach (TypeDefinition type in _metadata.TypeDefinitions.Select(_metadata.GetTypeDefinition).Where(IsVisible))
            AddType(type, NameOf(type));
    }

    /// <summary>Removes what is not public.</summary>
    internal void Keep(XElement members) =>
        members.Elements("member").Where(member => !_ids.Contains(KeyOf((string)member.Attribute("name")!))).Remove();

    // "M:Type.Method(A,B{C,D})" is known as "M:Type.Method/2".
    private static string KeyOf(string id)
    {
        int start = id.IndexOf('(', StringComparison.Ordinal);
        if (start < 0)
            return id[0] is 'M' or 'P' ? id + "/0" : id;
        int depth = 0, count = 0;
        foreach (char c in id.AsSpan(start))
        {
            if (c is '(' or '{' or '[')
                depth++;
            if (c is ')' or '}' or ']')
                depth--;
            if (depth == 1 && c is '(' or ',')
                count++;
        }
        return $"{id[..start]}/{count}";
    }

    private static bool IsVisible(MethodAttributes attributes) =>
        (attributes & MethodAttributes.MemberAccessMask)
            is MethodAttributes.Public or MethodAttributes.Family or MethodAttributes.FamORAssem;

    private bool IsVisible(TypeDefinition type) => (type.Attributes & TypeAttributes.VisibilityMask) switch
    {
        TypeAttributes.Public => true,
        TypeAttributes.NestedPublic or TypeAttributes.NestedFamily or TypeAttributes.NestedFamORAssem =>
            IsVisible(_metadata.GetTypeDefinition(type.GetDeclaringType())),
        _ => false,
    };

    private void AddType(TypeDefinition type, string name)
    {
        _ids.Add("T:" + name);
        foreach (FieldDefinition field in type.GetFields().Select(_metadata.GetFieldDefinition))
        {
            // a field's access has the numbers of a method's
            if (IsVisible((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask)))
                _ids.Add($"F:{name}.{_metadata.GetString(field.Name)}");
        }
        foreach (MethodDefinition method in type.GetMethods().Select(_metadata.GetMethodDefinition))
        {
            if (IsVisible(method.Attributes))
                _ids.Add($"M:{name}.{NameOf(method)}/{CountOf(method)}");
        }
        foreach (PropertyDefinition property in type.GetProperties().Select(_metadata.GetPropertyDefinition))
            AddProperty(property, name);
        foreach (EventDefinition one in type.GetEvents().Select(_metadata.GetEventDefinition))
        {
            if (IsVisible(_metadata.GetMethodDefinition(one.GetAccessors().Adder).Attributes))
                _ids.Add($"E:{name}.{_metadata.GetString(one.Name)}");
        }
    }

    private void AddProperty(PropertyDefinition property, string type)
    {
        PropertyAccessors accessors = property.GetAccessors();
        MethodDefinitionHandle[] all = [accessors.Getter, accessors.Setter];
        if (!all.Any(accessor => !accessor.IsNil && IsVisible(_metadata.GetMethodDefinition(accessor).Attributes)))
            return;
        int count = accessors.Getter.IsNil
            ? CountOf(_metadata.GetMethodDefinition(accessors.Setter)) - 1
            : CountOf(_metadata.GetMethodDefinition(accessors.Getter));
        _ids.Add($"P:{type}.{_metadata.GetString(property.Name)}/{count}");
    }

    private string NameOf(TypeDefinition type)
    {
        string name = _metadata.GetString(type.Name);
        if (type.IsNested)
            return $"{NameOf(_metadata.GetTypeDefinition(type.GetDeclaringType()))}.{name}";
        return type.Namespace.IsNil ? name : $"{_metadata.GetString(type.Namespace)}.{name}";
    }

    private string NameOf(MethodDefinition method)
    {
        string name = _metadata.GetString(method.Name).Replace('.', '#');
        int arity = method.GetGenericParameters().Count;
        return arity == 0 ? name : $"{name}``{arity}";
    }

    private int CountOf(MethodDefinition method)
    {
        BlobReader signature = _metadata.GetBlobReader(method.Signature);
        if (signature.ReadSignatureHeader().IsGeneric)
            _ = signature.ReadCompressedInteger();
        return signature.ReadCompressedInteger();
    }
}
