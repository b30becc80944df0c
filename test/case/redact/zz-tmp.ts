import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRedactor } from '../../../src/case/redact/redactor.ts';
import { letters, dice, uuid } from './fill.ts';
let n=0,t=0; const seen:string[]=[];
for (const root of ['test/fixtures/failures','stages','config','infrastructure','README.md','ai','src/failure','src/config','scripts','plugins','package-lock.json','test/failure']) {
 const files= statSync(root).isFile()?[root]:readdirSync(root,{recursive:true}).map(f=>root+'/'+f).filter(f=>statSync(f).isFile());
 for (const f of files){ if(f.includes('/worktree/')||f.includes('ai/state')) continue; const text=readFileSync(f,'utf8'); const {redact}=createRedactor({secrets:[]}); let out; try{out=redact(text)}catch(e:any){console.log(f,e.message);continue}
  const a=text.split('\n'),b=out.split('\n'); a.forEach((l,i)=>{ if(l.trim()) n++; if(l!==b[i]){t++; seen.push(f.slice(-30)+': '+[...b[i]!.matchAll(/.{0,60}SECRET_\w{8}_\d+_[a-z]+_END.{0,30}/g)].map(m=>m[0]).join(' ## '))}})}
}
console.log(n,t,(100*t/n).toFixed(2)+'%'); console.log(seen.slice(0,90).join('\n'));
